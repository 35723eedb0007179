import { expect, test } from "vitest";
import { CrashWindow, coalesced } from "../../src/restart.ts";

function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

test("requests during a restart share one more restart", async () => {
  const gates = [gate(), gate(), gate()];
  let started = 0;
  const restart = coalesced(() => gates[started++]?.promise ?? Promise.resolve());

  const first = restart();
  const others = [restart(), restart(), restart()];
  expect(started).toBe(1);

  gates[0]?.open();
  await first;
  gates[1]?.open();
  await Promise.all(others);
  expect(started).toBe(2);
});

test("a request after everything is done starts anew", async () => {
  let started = 0;
  const restart = coalesced(async () => {
    started++;
  });
  await restart();
  await restart();
  expect(started).toBe(2);
});

test("a failed restart fails for those who asked for it, and the queued one still runs", async () => {
  const failing = gate();
  let started = 0;
  const restart = coalesced(async () => {
    if (++started === 1) {
      await failing.promise;
      throw new Error("no");
    }
  });
  const first = restart();
  const second = restart();
  failing.open();
  await expect(first).rejects.toThrow("no");
  await second;
  expect(started).toBe(2);
});

test("a server that ends too often within the window is not started again", () => {
  const crashes = new CrashWindow(4, 180_000);
  expect([0, 1, 2, 3].map((at) => crashes.ended(at))).toEqual([1, 2, 3, 4]);
  expect(crashes.ended(4)).toBeUndefined();
});

test("ends long ago do not count", () => {
  const crashes = new CrashWindow(1, 1000);
  crashes.ended(0);
  expect(crashes.ended(2000)).toBe(1);
});

test("a restart by hand forgets earlier ends", () => {
  const crashes = new CrashWindow(1, 1000);
  crashes.ended(0);
  crashes.reset();
  expect(crashes.ended(1)).toBe(1);
});
