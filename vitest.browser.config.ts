import { defineConfig } from "vitest/config";

// Real Chromium against a real gateway, as `npm start` runs it. $CHROMIUM names the browser, else it is Debian's.
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    reporters: ["default", "./test/support/flaky-reporter.ts"],
    globalSetup: [
      "./test/support/temporary-files.ts",
      "./test/support/prepared-state.ts",
      "./test/browser/shared-gateway.ts",
    ],
    fileParallelism: false,
    // All files run in one process, which loads Playwright and the SDKs once.
    isolate: false,
    testTimeout: 90_000,
    // The default is one second, which a page or a process on a busy machine can exceed.
    expect: { poll: { timeout: 15_000 } },
    // In CI, a failed test is repeated once.
    retry: process.env.CI === undefined ? 0 : 1,
    hookTimeout: 60_000,
  },
});
