import { defineConfig } from "vitest/config";

// Real launchers, real workerd, real signals, one after the other: each test owns its state folder and port.
export default defineConfig({
  test: {
    include: ["test/smoke/**/*.test.ts", "test/fuzz/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 30_000,
  },
});
