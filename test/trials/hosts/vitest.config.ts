import { defineConfig } from "vitest/config";

// Hosts from test/trials/hosts/node_modules against the built gateway; `npm run try:hosts` installs them.
export default defineConfig({
  test: {
    include: ["test/trials/hosts/*.test.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
