/** A prompt that waits for the server, until it has started, cannot, or the person takes the prompt back. */
export class StartQueue {
  #leave: ((goOn: boolean) => void) | undefined;

  get isWaiting(): boolean {
    return this.#leave !== undefined;
  }

  /** Whether to go on, once that is known. One that waits already is taken back. */
  wait(): Promise<boolean> {
    this.end(false);
    return new Promise((settle) => {
      this.#leave = settle;
    });
  }

  end(goOn: boolean): void {
    const leave = this.#leave;
    this.#leave = undefined;
    leave?.(goOn);
  }
}
