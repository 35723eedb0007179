import { defineConfig } from "vitest/config";

// One window at a time: two cores do not carry more, and time limits would measure the machine.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.e2e.ts"],
    globalSetup: ["test/rig/globalSetup.ts"],
    fileParallelism: false,
    testTimeout: 90_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
