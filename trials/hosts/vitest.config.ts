import { defineConfig } from "vitest/config";

// Hosts from trials/hosts/node_modules against the built gateway; `npm run try:hosts` installs them.
export default defineConfig({
  test: {
    include: ["trials/hosts/*.test.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
