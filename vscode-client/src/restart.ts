/**
 * Runs an action so that at most one runs and at most one more waits: requests made meanwhile share the waiting one.
 * A burst of setting changes thus restarts the server twice at most, and the last one sees the newest settings.
 */
export function coalesced(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const start = (): Promise<void> => {
    running = action().finally(() => {
      running = undefined;
    });
    return running;
  };

  return () => {
    if (!running) return start();
    queued ??= running
      .catch(() => undefined) // whoever asked for that run gets its error
      .then(() => {
        queued = undefined;
        return start();
      });
    return queued;
  };
}

/** Decides whether a server that ended by itself is started again: not after `limit` ends within `windowMs`. */
export class CrashWindow {
  private ends: number[] = [];

  constructor(
    private readonly limit = 4,
    private readonly windowMs = 180_000,
  ) {}

  /** Counts an end; the number of ends in the window, or undefined when it is one too many. */
  ended(now: number): number | undefined {
    this.ends = [...this.ends.filter((at) => now - at < this.windowMs), now];
    return this.ends.length > this.limit ? undefined : this.ends.length;
  }

  reset(): void {
    this.ends = [];
  }
}
