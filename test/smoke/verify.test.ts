// Rehearses `npm run deploy:verify` with a local gateway instead of an account, except for limits that do not exist locally.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { run } from "./commands";
import { newPlace, start } from "./launcher";

it("says what runs, what is refused and what is ended, and leaves nothing behind", async () => {
  const gateway = await start(await newPlace()).ready();
  const { code, stdout, stderr } = await run("verify", ["--url", gateway.url, "--key", gateway.key]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trim().split("\n");
  expect(lines.at(-1)).toBe(`verified ${gateway.url}`);
  expect(lines.filter((line) => line.startsWith("ok ")).length).toBe(14);
  expect(lines.filter((line) => line.startsWith("skipped ")).length).toBe(1);
  const list = await (await gateway.fetch("/api/v1/kinds/skills/public/list")).json();
  expect((list as { name: string }[]).map(({ name }) => name).filter((name) => name.includes("verify"))).toEqual([]);
});

it("ends at once where there is no Worker Loader", async () => {
  const server = createServer((_, answer) => answer.end(JSON.stringify({ loader: "absent" }))).listen(0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await run("verify", ["--url", url, "--key", "sgw_any"]);
  server.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("has no Worker Loader");
});
