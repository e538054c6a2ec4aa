import { defineConfig } from "vitest/config";

// Hosts from test/trials/sign-in/node_modules against the built gateway; `npm run try:sign-in` installs them.
export default defineConfig({
  test: {
    include: ["test/trials/sign-in/*.test.ts"],
    reporters: ["verbose"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
