import { defineConfig } from "vitest/config";

// Clients from test/trials/node_modules against the built gateway; `npm run try:clients` installs them.
export default defineConfig({
  test: {
    include: ["test/trials/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
