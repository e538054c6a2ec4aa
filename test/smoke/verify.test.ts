// Rehearses `npm run deploy:verify` with a local gateway instead of an account, except for limits that do not exist locally.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { probe } from "../../executor/bubblewrap.mjs";
import { run } from "./commands";
import { newPlace, start } from "./launcher";

const confined = await probe();

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

it.runIf(confined.ok)("checks the executor, if the gateway has one", { timeout: 600_000 }, async () => {
  const gateway = await start(await newPlace(), { args: ["--executor"] }).ready();
  const { code, stdout, stderr } = await run("verify", ["--url", gateway.url, "--key", gateway.key]);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n").filter((line) => /executor: |the same again/.test(line));
  expect(lines.filter((line) => line.startsWith("ok ")).length).toBe(11);
  expect(lines.filter((line) => line.startsWith("skipped ")).length).toBe(1);
});

it("says why the executor is not available", async () => {
  const issues = [{ code: "EXECUTOR_UNAVAILABLE", message: "The executor does not respond." }];
  const health = JSON.stringify({ checks: { loader: "ok", executor: "failed" }, issues });
  const server = createServer((request, answer) => answer.end(request.url === "/health" ? health : "no JSON")).listen(
    0,
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await run("verify", ["--url", url, "--key", "sgw_any"]);
  server.close();
  expect(code).toBe(1);
  expect(stderr).toContain("The executor is not available. The executor does not respond.");
});

it("ends at once where there is no Worker Loader", async () => {
  const server = createServer((_, answer) =>
    answer.end(JSON.stringify({ checks: { loader: "absent", executor: "absent" } })),
  ).listen(0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await run("verify", ["--url", url, "--key", "sgw_any"]);
  server.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("has no Worker Loader");
});
