import { availableParallelism } from "node:os";
import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** A test of the domain that compares it with something only workerd has. */
const NEEDS_WORKERD = "*.workerd";

/** `import("…")` as a value, and not in a type. */
const LATE = /(?<!typeof |satisfies |[<:] ?)\bimport\(("[^"]+")\)/g;

/**
 * What the gateway loads with its first use is there from the start in the pool. There a module comes through a connection of whichever
 * request asks first, and another request that waits for the same one is refused by the runtime ("I/O on behalf of a different request").
 */
const lateModulesAtOnce: Plugin = {
  name: "late modules at once",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(path.join(import.meta.dirname, "src"))) return;
    const imports: string[] = [];
    const text = code.replace(LATE, (_, name: string) => {
      imports.push(`import * as late${imports.length} from ${name};`);
      return `Promise.resolve(late${imports.length - 1})`;
    });
    // On the first line, so that the lines of a failure stay what they are.
    if (imports.length > 0) return { code: imports.join(" ") + text, map: null };
  },
};

/** Tests that start other programs as their users do. Some change the environment of their process, so each file has its own. */
const PROGRAMS = [
  "test/node/{chat,vendors}/**/*.test.ts",
  "test/node/commands.test.ts",
  "test/node/confined.test.ts",
  "test/node/examples.test.ts",
  "test/node/executor{,-containers,-fixtures,-hostile,-network,-network-attacks,-packages}.test.ts",
  "test/node/sign-in.test.ts",
  "test/node/skill.test.ts",
];

/** Test files that `npm test` leaves out. They run with `--full`, or when a path or a test name selects them. CI runs all of them. */
const FULL_ONLY = [
  // Every route: who can call it, what it refuses, how far its requests travel.
  "test/**/matrix.test.ts",
  "test/api/can-run.test.ts",
  "test/api/examples.test.ts",
  "test/edge/refusals.test.ts",
  "test/**/*trips.test.ts",
  "test/world/**",
  // Every storage or upstream call that can fail, every order of two requests.
  "test/**/*faults.test.ts",
  "test/**/interleavings.test.ts",
  // Hostile input by the hundred, and input at the limits.
  "test/**/{hostile,abuse,attacks}*.test.ts",
  "test/**/*-hostile.test.ts",
  "test/api/templates.test.ts",
  "test/domain/package/archive/flaws.test.ts",
  "test/edge/attacks/**",
  "test/chat/sizes.test.ts",
  "test/domain/package/archive/damaged.test.ts",
  "test/domain/servers/redaction-effort.test.ts",
  "test/domain/chat/answer-size.test.ts",
  // A server that repeats a secret in every field, and a gateway that is killed a hundred times.
  "test/api/upstream-secrets.test.ts",
  "test/connections/kills.test.ts",
  "test/node/inspection.test.ts",
  // Scripts in Python and shell, whose interpreters take seconds to load, and scripts that are compared with their own interpreter.
  "test/sandbox/{python,shell}/**",
  "test/sandbox/fixtures.test.ts",
  "test/sandbox/scripts.test.ts",
  "test/sandbox/cancelled.test.ts",
  "test/api/python.test.ts",
  // Chats with the SDKs of vendors.
  "test/sdk/adapters.test.ts",
  ...PROGRAMS,
];

const leftOut = process.env.TEST_SUITE === "short" ? FULL_ONLY : [];

// Four projects: what runs in the Worker is tested inside workerd; the domain, which needs no runtime, in plain Node; the
// launcher, the clients and the source tree from Node; and the programs of others.
export default defineConfig(async () => {
  const migrations = await readD1Migrations(path.join(import.meta.dirname, "migrations"));
  return {
    test: {
      // vitest leaves one core to itself; of two that is half, while tests mostly wait.
      maxWorkers: Math.max(2, availableParallelism() - 1),
      // Failures and a summary. `--reporter=tree` lists the tests.
      reporters: ["minimal"],
      tags: [
        {
          name: "slow",
          description:
            "Takes more than a second: it waits for a deadline, or starts a program. `npm test` leaves it out.",
        },
      ],
      projects: [
        {
          define: {
            ...{ __DEVELOPMENT__: "true", __LOCAL_RUNTIME__: "true" },
            // `npm run try:insights` replays more.
            __REPLAYED__: process.env.REPLAYED ?? "25",
            __REPLAY_SEED__: process.env.REPLAY_SEED ?? "42",
            __INSIGHT_SKILLS__: process.env.INSIGHT_SKILLS ?? "500",
          },
          plugins: [
            lateModulesAtOnce,
            cloudflareTest({
              wrangler: { configPath: "./wrangler.toml" },
              // The gateway, with test/support/world around its bindings.
              main: "./test/support/world/main.ts",
              miniflare: {
                d1Databases: { REPLICA_DB: "replica" },
                bindings: {
                  TEST_MIGRATIONS: migrations,
                  GATEWAY_ADMIN_KEY: "sgw_test_admin_key_for_the_pool_only",
                  LOG_REQUESTS: "false",
                  RATE_LIMITS: "false",
                  MCP_REGISTRY_URL: "off",
                  SECRETS_KEY: "c2VjcmV0cyBvZiB0aGUgcG9vbCBhcmUgbm90IHNlY3I=",
                },
              },
            }),
          ],
          test: {
            name: "worker",
            // One worker for many files: starting one for each took two thirds of the whole. test/setup.ts empties the registry.
            isolate: false,
            include: ["test/**/*.test.ts"],
            exclude: [
              `test/domain/**/!(${NEEDS_WORKERD}).test.ts`,
              "test/node/**",
              "test/cli/**",
              "test/smoke/**",
              "test/client/**",
              "test/sdk/**",
              "test/browser/**",
              "test/fuzz/**",
              "test/trials/**",
              "test/architecture.test.ts",
              ...leftOut,
            ],
            // The compiler of skill code as its sources are now; and servers that tests talk to, in Node, which are
            // cheap until a test asks for one.
            globalSetup: [
              "./test/support/compiler-asset.ts",
              "./test/support/upstream-server/setup.ts",
              "./test/support/workerd-log.ts",
            ],
            setupFiles: ["./test/setup.ts"],
            testTimeout: 120_000,
            hookTimeout: 120_000,
            deps: {
              optimizer: {
                ssr: {
                  enabled: true,
                  // A dependency found in mid-run would reload the files that run: whatever a test needs stands here.
                  noDiscovery: true,
                  include: [
                    "@cfworker/json-schema",
                    "acorn",
                    "@hono/zod-openapi",
                    "@modelcontextprotocol/client",
                    "@modelcontextprotocol/client/ext/skills",
                    "@modelcontextprotocol/server",
                    "@modelcontextprotocol/server/ext/skills",
                    "drizzle-orm",
                    "drizzle-orm/d1",
                    "drizzle-orm/sqlite-core",
                    "fflate",
                    "hono",
                    "hono/accepts",
                    "hono/cors",
                    "hono/factory",
                    "hono/http-exception",
                    "hono/route",
                    "jose",
                    "oauth4webapi",
                    "markdown-it",
                    "semver/functions/compare-loose",
                    "semver/functions/satisfies",
                    "semver/ranges/valid",
                    "standardwebhooks",
                    "sucrase",
                    "yaml",
                    "zod",
                    "fast-check",
                    "@zip.js/zip.js",
                  ],
                },
              },
            },
          },
        },
        {
          test: {
            name: "domain",
            isolate: false,
            include: ["test/domain/**/*.test.ts"],
            exclude: [`test/domain/**/${NEEDS_WORKERD}.test.ts`, ...leftOut],
            testTimeout: 60_000,
          },
        },
        {
          test: {
            name: "node",
            // Importing the modules again for each file took a third of the whole.
            isolate: false,
            include: [
              "test/node/**/*.test.ts",
              "test/cli/**/*.test.ts",
              "test/client/**/*.test.ts",
              "test/sdk/**/*.test.ts",
              "test/architecture.test.ts",
            ],
            exclude: [...PROGRAMS, ...leftOut],
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
        {
          test: {
            name: "programs",
            include: PROGRAMS,
            exclude: leftOut,
            testTimeout: 120_000,
            hookTimeout: 120_000,
          },
        },
      ],
    },
  };
});
