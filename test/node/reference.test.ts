// Example commands of the page at /docs: a shell parses them as intended, whatever text an example contains.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { operationsOf } from "../../docs/reference/operation.js";
import { curlOf } from "../../docs/reference/request.js";
import { Schemas } from "../../docs/reference/schema.js";
import { openApiText } from "../support/openapi";

const origin = "https://gateway.test";

/** Returns the arguments that a program named `curl` receives. */
async function argumentsOf(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { env: { KEY: "the-key" } });
  return stdout.split("\0").slice(0, -1);
}

it("passes on quotes, variables and commands as the texts they are", async () => {
  const planted = `it's "$KEY" $(echo run) \`echo run\` \\ !`;
  const command = curlOf({
    origin,
    method: "POST",
    path: "/api/v1/things/{id}",
    hasKey: true,
    parameters: [
      { in: "path", name: "id", required: true, example: planted },
      { in: "query", name: "q", required: true, example: planted },
    ],
    body: { type: "application/json", example: { planted }, schema: {} },
  });
  const [, method, address = "", , key, , type, , body = ""] = await argumentsOf(command);
  expect([method, key, type]).toEqual(["POST", "Authorization: Bearer the-key", "Content-Type: application/json"]);
  const { pathname, searchParams } = new URL(address);
  expect(decodeURIComponent(pathname)).toBe(`/api/v1/things/${planted}`);
  expect(searchParams.get("q")).toBe(planted);
  expect(JSON.parse(body)).toEqual({ planted });
});

it("has a command without gaps for every operation there is", { tags: ["slow"] }, async () => {
  const document = JSON.parse(await openApiText());
  const operations = operationsOf(document, new Schemas(document));
  expect(operations.length).toBeGreaterThan(50);
  const commands = operations.map(({ bodies: [body], ...operation }) => {
    const sent = body === undefined ? undefined : { type: body[0], ...body[1] };
    return [operation.id, curlOf({ ...operation, origin, body: sent })] as const;
  });
  expect(commands.filter(([, command]) => /\{\w+\}|undefined|\[object/.test(command))).toEqual([]);
  const [, publish = ""] = commands.find(([id]) => id === "skills.publish") ?? [];
  expect(await argumentsOf(publish)).toEqual(expect.arrayContaining(["-F", "file=@mermaid-diagram.zip"]));
});
