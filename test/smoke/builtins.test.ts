import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publishBuiltins } from "../../scripts/local/builtins.mjs";
import { emptyPlace, type Gateway, newPlace, start } from "./launcher";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-builtins-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function publish(gateway: Gateway, version: string, body: string): Promise<{ version: string; prompt: string }> {
  await mkdir(path.join(folder, "greeting"), { recursive: true });
  const text = `---\nname: greeting\ndescription: "Greets."\nversion: "${version}"\n---\n\n${body}\n`;
  await writeFile(path.join(folder, "greeting", "SKILL.md"), text);
  expect(await publishBuiltins(gateway.url, gateway.key, { folder })).toBe(true);
  const list = await (await gateway.fetch("/api/v1/kinds/skills/public/list")).json();
  const { id } = (list as { name: string; id: string }[]).find((skill) => skill.name === "greeting")!;
  const skill = await (await gateway.fetch(`/api/v1/kinds/skills/${id}`)).json();
  return (skill as { spec: { version: string; prompt: string } }).spec;
}

it("built-in skills go up with their version and never down", async () => {
  const gateway = await start(await newPlace()).ready();
  expect(await publish(gateway, "1.9.0", "Hello.")).toMatchObject({ version: "1.9.0" });
  expect(await publish(gateway, "1.10.0", "Good day.")).toMatchObject({ version: "1.10.0" });
  const unchanged = await publish(gateway, "1.10.0", "Changed under the same version.");
  expect(unchanged.prompt).toContain("Good day.");
  expect(await publish(gateway, "1.2.0", "Old.")).toMatchObject({ version: "1.10.0" });
});

it("a gateway that reviews public skills starts without those that nobody approved, and says so", async () => {
  const run = start(await emptyPlace(), { env: { REVIEW: "required" } });
  const gateway = await run.ready();
  await run.line(/not published, because public skills are reviewed \(`REVIEW=required`\)/);
  expect(await (await gateway.fetch("/api/v1/kinds/skills/public/list")).json()).toEqual([]);
});
