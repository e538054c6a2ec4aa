// The verdict of publishing on each script, and the callers that receive it.

import { beforeAll, expect, it } from "vitest";
import { type CallOptions, call, keyFor } from "../../../support/call";
import { form, skillZip } from "../../../support/skill";
import { idOf, SKILLS, type Skill } from "./published";

let alice: string;

beforeAll(async () => {
  alice = await keyFor("alice");
});

const FILES = {
  "scripts/chart.py": "import json\nimport matplotlib",
  "scripts/fetch.mjs": "import 'node:https'",
  "scripts/old.rb": "puts 1",
  "scripts/table.py": "import csv",
};
const VERDICTS = [
  {
    path: "scripts/chart.py",
    runs: "remote",
    reason: expect.stringContaining("'matplotlib'"),
    line: 2,
    needs: { modules: ["matplotlib"] },
  },
  {
    path: "scripts/fetch.mjs",
    runs: "partly",
    reason: expect.stringContaining("network access is not available"),
    line: 1,
  },
  { path: "scripts/old.rb", runs: "nowhere", reason: expect.stringContaining(".rb") },
  { path: "scripts/table.py", runs: "isolate" },
];
type Told = { status: Skill["status"] & { scripts?: object[] } };

it("says of each script whether it runs and why, with the answer and with the version", async () => {
  const bytes = skillZip({ name: "judged", version: "1.0.0", files: FILES });
  const answer = await call("POST", `${SKILLS}/public`, { body: form(bytes) });
  expect(answer.status).toBe(201);
  const skill = await answer.json<Skill & Told>();
  expect(skill.status.scripts).toEqual(VERDICTS);
  const read = () => call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice });
  expect((await (await read()).json<Told>()).status.scripts).toEqual(VERDICTS);
  const again = await call("POST", `${SKILLS}/public`, { body: form(bytes) });
  expect([again.status, (await again.json<Told>()).status.scripts]).toEqual([200, VERDICTS]);
  const next = form(skillZip({ name: "judged", version: "1.0.1", files: { "a.py": "import abc" } }));
  const later = await call("PUT", `${SKILLS}/${idOf(skill)}`, { body: next });
  expect((await later.json<Told>()).status.scripts).toEqual([{ path: "a.py", runs: "isolate" }]);
  expect((await (await read()).json<Told>()).status.scripts).toEqual([{ path: "a.py", runs: "isolate" }]);
});

it("reports the same before publishing, to every user who can publish", async () => {
  const body = () => form(skillZip({ name: "judged-before", files: FILES }));
  const told = async (options: CallOptions) =>
    (
      await (
        await call("POST", `${SKILLS}/validate`, { ...options, body: body() })
      ).json<{ scripts: object[] | null }>()
    ).scripts;
  expect(await told({})).toEqual(VERDICTS);
  expect(await told({ key: alice })).toBeNull();
});

it("says nothing of scripts that would not run, whatever is in them", async () => {
  const answer = await call("POST", `${SKILLS}/upload`, {
    key: alice,
    body: form(skillZip({ name: "judged-own", files: FILES })),
  });
  const skill = await answer.json<Told>();
  expect(skill.status.scripts).toBeUndefined();
  expect(skill.status.warnings.map(({ code }) => code)).toEqual(["CODE_NOT_RUN"]);
});
