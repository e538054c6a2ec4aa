import { defineConfig } from "vitest/config";

// Real launchers, real workerd, real signals. Each test owns its state folder and port, and mostly waits for processes, so that
// two files run side by side.
export default defineConfig({
  test: {
    include: ["test/smoke/**/*.test.ts", "test/fuzz/**/*.test.ts"],
    reporters: ["default", "./test/support/flaky-reporter.ts"],
    globalSetup: ["./test/support/temporary-files.ts", "./test/support/prepared-state.ts"],
    maxWorkers: 2,
    // A start takes a minute when the machine is busy, and a test can need several.
    testTimeout: 300_000,
    // The default is one second, which a page or a process on a busy machine can exceed.
    expect: { poll: { timeout: 15_000 } },
    // In CI, a failed test is repeated once.
    retry: process.env.CI === undefined ? 0 : 1,
    hookTimeout: 300_000,
  },
});
