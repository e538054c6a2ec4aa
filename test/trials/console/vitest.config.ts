import { defineConfig } from "vitest/config";

// The console in Chromium against the built gateway, in every variant and with hostile content.
export default defineConfig({
  test: {
    include: ["test/trials/console/*.test.ts"],
    reporters: ["verbose"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
