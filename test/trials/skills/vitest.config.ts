import { defineConfig } from "vitest/config";

// Clients from test/trials/skills/node_modules against the built gateway; `npm run try:clients:skills` installs them.
export default defineConfig({
  test: {
    include: ["test/trials/skills/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
