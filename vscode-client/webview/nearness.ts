/** Items of a transcript that are drawn, or not, together. */
export const CHUNK = 40;

/** Chunks this far outside of what can be seen are drawn already. */
const MARGIN = "1200px 0px";

/**
 * Which chunks of the transcript are near enough to what can be seen to be drawn, and how tall the others were. A run
 * of ten thousand events costs what stands on the screen.
 */
export class Nearness {
  readonly heights = new Map<number, number>();
  near: ReadonlySet<number> = new Set();
  #scroller: Element | undefined;
  #seen: IntersectionObserver | undefined;
  readonly #sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (target.childElementCount > 0) this.heights.set(numberOf(target), contentRect.height);
    }
  });

  constructor(private readonly changed: () => void) {}

  /** After each drawing: the chunks of `scroller` are watched, and no others. */
  watch(scroller: Element | undefined): void {
    if (scroller !== this.#scroller) {
      this.reset();
      this.#scroller = scroller;
      this.#seen =
        scroller && new IntersectionObserver((entries) => this.#moved(entries), { root: scroller, rootMargin: MARGIN });
    }
    for (const chunk of scroller?.querySelectorAll(".chunk") ?? []) {
      this.#seen?.observe(chunk); // watching it twice is watching it once
      this.#sizes.observe(chunk);
    }
  }

  /** Another run is shown: its chunks have heights of their own. */
  reset(): void {
    this.#seen?.disconnect();
    this.#sizes.disconnect();
    this.#scroller = undefined;
    this.heights.clear();
    this.near = new Set();
  }

  #moved(entries: readonly IntersectionObserverEntry[]): void {
    const near = new Set(this.near);
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        near.add(numberOf(target));
      } else if (!target.contains(document.activeElement)) {
        near.delete(numberOf(target)); // where the focus is, it stays
      }
    }
    if (near.size !== this.near.size || [...near].some((chunk) => !this.near.has(chunk))) {
      this.near = near;
      this.changed();
    }
  }
}

function numberOf(chunk: Element): number {
  return Number(chunk.getAttribute("data-chunk"));
}
