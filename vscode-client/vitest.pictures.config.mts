import { defineConfig } from "vitest/config";

// Not part of the tests: the pictures of the guides, taken from the real editor by `make vscode-pictures`.
export default defineConfig({
  test: {
    include: ["test/pictures/**/*.pictures.ts"],
    globalSetup: ["test/rig/globalSetup.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
