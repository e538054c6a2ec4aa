// Common behavior of all commands in scripts/: `--help`, errors for unknown options, and the same options for gateway and key.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { run } from "../smoke/commands";

const COMMANDS = [
  "start",
  "dev",
  "tour",
  "skill",
  "backup",
  "restore",
  "reindex",
  "deploy",
  "build",
  "docs",
  "docs-examples",
  "try-clients",
  "try-sign-in",
  "pictures",
  "sample-sentences",
];

describe("every command", () => {
  it.each(COMMANDS)("%s prints its usage, and rejects unknown options", async (command) => {
    const [help, unknown] = await Promise.all([run(command, ["--help"]), run(command, ["--nonsense"])]);
    expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Use: npm ") });
    // The packaged command line uses different exit codes for usage errors and failures.
    expect(unknown).toMatchObject({ code: command === "skill" ? 2 : 1, stdout: "" });
    expect(unknown.stderr).toContain("--nonsense");
    expect(unknown.stderr).toContain("Use: npm ");
  });
});

describe("the gateway that a command talks to", () => {
  it.each(["tour", "reindex"])("%s reads the gateway from its options, then from the environment", async (command) => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(500, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    const url = `http://127.0.0.1:${port}`;
    try {
      const elsewhere = { GATEWAY_URL: "http://127.0.0.1:9", GATEWAY_KEY: "sgw_of_the_environment" };
      await run(command, ["--url", `${url}/`, "--key", "sgw_typed"], { env: elsewhere });
      await run(command, ["--port", port], { env: elsewhere });
      await run(command, [], { env: { ...elsewhere, GATEWAY_URL: url } });
      expect(seen).toHaveLength(3);
      if (command === "reindex") {
        expect(seen[0]).toContain("sgw_typed");
        for (const call of seen.slice(1)) expect(call).toContain("sgw_of_the_environment");
      }
      const both = await run(command, ["--url", url, "--port", port]);
      expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining("Use: npm run") });
      // The key of the local gateway is not sent to other URLs.
      expect((await run(command, ["--url", "https://gateway.example"])).stderr).toContain("is not sent to");
    } finally {
      server.close();
    }
  });
});

it("a build for plain wrangler dev names the command to use instead; one for npm run dev does not", async () => {
  const plain = await run("build", [], { env: { WRANGLER_COMMAND: "dev" } });
  expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining("Use `npm run dev` instead") });
  const ours = await run("build", [], { env: { WRANGLER_COMMAND: "dev", SKILL_GATEWAY_OWNER: "{}" } });
  expect(ours.stderr).not.toContain("npm run dev");
});
