// Approvals and values of skill code with a replica that has stopped: a run never uses what was revoked, replaced or deleted elsewhere.

import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { type CallOptions, call, keyFor } from "../support/call";
import { publishPublic, type Step } from "../support/chat-turns";
import { providerSkill } from "../support/provider";
import { bearer, imitateHosts, nextName, printed, type Sent } from "../support/skill-network";
import { DECLARED, MINE, PLANTED, SKILLS } from "../support/skill-network-api";
import { at, beginWorld, endWorld, isolate } from "../support/world/pool";
import type { World } from "../support/world/world";

const world: World = await beginWorld();
const HOST = "api.example.org";
const SCRIPT = "scripts/main.mjs";

let sent: Sent[] = [];
beforeEach(() => {
  world.catchUp();
  sent = imitateHosts();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(endWorld);

let isolates = 0;
/** An isolate that has just started. */
const fresh = () => `network-${isolates++}`;

async function send(where: string, method: string, path: string, options: CallOptions = {}): Promise<string> {
  const answer = await call(method, path, { ...options, headers: at(where) });
  const text = await answer.text();
  expect(answer.status, text).toBeLessThan(300);
  return text;
}

/**
 * The ways to run code: a script in the object of a conversation or in the Worker, and a tool. Only the tool writes nothing before it runs:
 * a write makes the rest of its session current.
 */
const PLACES = ["a script in a conversation", "a script in the Worker", "a tool in a conversation"] as const;
const TOOL = `const answer = await fetch("https://${HOST}/json", { headers: { authorization: "Bearer " + context.env.TOKEN } });
  return answer.status + " " + (await answer.text());`;

/** A public skill with an approved host and a value of the user. `run` returns what the code prints. */
async function skillIn(place: (typeof PLACES)[number], owner: "own" | "shared") {
  const [here, name] = [fresh(), nextName()];
  const key = await keyFor(`lag-${name}`);
  const skill = providerSkill(name, { ask: TOOL }, { frontmatter: DECLARED });
  const files = { ...skill.files, [SCRIPT]: printed(`https://${HOST}/json`, bearer) };
  const { id } = await publishPublic({ ...skill, files });
  const path = owner === "own" ? `${MINE}/${id}` : `${SKILLS}/${id}/env`;
  const as = owner === "own" ? { key } : {};
  const set = (value: string, where = fresh()) =>
    send(where, "PUT", path, { ...as, json: { values: { TOKEN: value } } });
  const approve = (...hosts: string[]) => send(fresh(), "PUT", `${SKILLS}/${id}/network`, { json: { hosts } });
  const args = { skill_name: name, script_path: SCRIPT };
  const conversation = `/api/v1/conversations/${name}`;
  await send(here, "PUT", conversation, { key, json: { delivery: "system" } });
  const use = async (tool: string, given: object) => {
    const json = { calls: [{ id: crypto.randomUUID(), name: tool, arguments: given }] };
    const step: Step = JSON.parse(await send(here, "POST", `${conversation}/tool-calls`, { key, json }));
    return JSON.stringify(step.results);
  };
  const inWorker = async () => {
    const json = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "execute_skill_script", arguments: args },
    };
    const headers = {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
    const answer = await askWith(isolate(here), "/mcp", { method: "POST", headers, body: JSON.stringify(json) });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return text;
  };
  const run = {
    "a script in a conversation": () => use("execute_skill_script", args),
    "a script in the Worker": inWorker,
    "a tool in a conversation": () => use("ask", {}),
  }[place];
  if (place === "a tool in a conversation") await use("load_skill", { skill_name: name });
  await Promise.all([set(PLANTED), approve(HOST)]);
  expect(await run()).toContain("200 ");
  expect(sent.at(-1)?.headers.authorization).toBe(`Bearer ${PLANTED}`);
  sent.length = 0;
  // Whatever happens from now on never reaches the replica.
  world.lag("forever");
  return { run, set, approve, remove: () => send(fresh(), "DELETE", `${path}?name=TOKEN`, as) };
}

describe.each(PLACES)("%s, beside a replica that has stopped", (place) => {
  it("does not call a host whose approval was revoked", async () => {
    const { run, approve } = await skillIn(place, "own");
    await approve();
    expect(await run()).toContain("declared, but not approved");
    expect(sent).toEqual([]);
  });

  it.each(["own", "shared"] as const)("sends the new one of two %s values", async (owner) => {
    const { run, set } = await skillIn(place, owner);
    await set(`${PLANTED}-new`);
    await run();
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${PLANTED}-new`]);
  });

  it.each(["own", "shared"] as const)("has no variable for a deleted %s value", async (owner) => {
    const { run, remove } = await skillIn(place, owner);
    await remove();
    await run();
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer undefined"]);
  });
});
