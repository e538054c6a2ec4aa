// The browser client against a running gateway over real sockets: what it receives about skills and calls.

import { afterAll, beforeAll, expect, it } from "vitest";
import { answering, confirm } from "../../sdk/src/client/actions";
import { type Connection, connect, type State, skillsIn } from "../../sdk/src/client/skill-gateway";
import { SkillGateway } from "../../sdk/src/index";
import { Harness, KEY } from "../support/harness";
import { providerSkill } from "../support/provider";

const gateway = new Harness();
const open: Connection[] = [];
let client: SkillGateway;

beforeAll(async () => {
  await gateway.start();
  const asks =
    "const { success, result, error } = await context.request('confirm', args); return success ? String(result.confirmed) : error;";
  await gateway.publish(providerSkill("harbour", { count_boats: asks }));
  client = new SkillGateway({ url: gateway.url, key: KEY });
});
afterAll(async () => {
  for (const connection of open) connection.close();
  await gateway.close();
});

/** A tab of alice's page, whose tickets come from a back end with this key. */
function tab(id: string, key: SkillGateway): Connection {
  const made = connect({
    hears: ["skills", "calls"],
    ticket: () =>
      key.call("tickets.create", { path: { id }, body: { conversation: { delivery: "auto" }, output: true } }),
  });
  open.push(made);
  return made;
}

/** Returns the first state that satisfies the condition. */
function when(connection: Connection, is: (state: State) => boolean): Promise<State> {
  return new Promise((resolve) => {
    if (is(connection.state)) return resolve(connection.state);
    const stop = connection.subscribe((state) => {
      if (!is(state)) return;
      stop();
      resolve(state);
    });
  });
}

const call = (id: string, name: string, args: object) => ({ id, name, arguments: args }) as Record<string, unknown>;
const told = ({ calls }: State) => calls.map(({ name, state, output }) => [name, state, output]);

it("lists skills before the first turn, follows calls in two tabs, and answers a named action", async () => {
  const alice = client.as("alice");
  const [one, two] = [tab("boats", alice), tab("boats", alice)];
  const { skills } = await when(one, (state) => state.skills !== null);
  expect(skills?.listed.map(({ skill }) => skill)).toEqual(["harbour"]);
  one.on(
    confirm.name,
    answering(confirm, ({ question }) => ({ confirmed: question === "Sure?" })),
  );
  await when(two, ({ status }) => status === "open");
  const run = (calls: Record<string, unknown>[]) =>
    alice.call("toolCalls.run", { path: { id: "boats" }, body: { calls } });
  await run([call("load", "load_skill", { skill_name: "harbour" })]);
  const count = (id: string, args: object) => call(id, "call_skill_tool", { name: "count_boats", arguments: args });
  await run([count("a", { question: "Sure?" }), count("b", { wrong: 1 })]);
  const ended = (state: State) => state.calls.length === 3 && state.calls.every(({ ended_at }) => ended_at !== null);
  const expected = [
    ["load_skill", "done", undefined],
    ["count_boats", "done", "true"],
    ["count_boats", "done", "The input of 'confirm' is not valid: question: missing"],
  ];
  expect(told(await when(one, ended))).toEqual(expected);
  const state = await when(two, ended);
  expect(told(state)).toEqual(expected);
  expect(skillsIn(state)).toMatchObject([{ skill: "harbour", state: "loaded", description: "Shows how it is done." }]);
  // A reload, as the gateway sees it.
  expect(told(await when(tab("boats", alice), ended))).toEqual(expected);
});

it("ends with the key behind it: a ticket that was revoked opens nothing, and says so", async () => {
  const made = await client.call("keys.create", { body: { user_id: "bob" } });
  const bob = new SkillGateway({ url: gateway.url, key: made.key });
  const ticket = await bob.call("tickets.create", { path: { id: "bobs" } });
  await client.call("keys.revoke", { path: { id: made.id } });
  const late = connect({ hears: ["calls"], ticket: () => ticket });
  open.push(late);
  const { closed, calls } = await when(late, ({ status }) => status === "closed");
  expect([closed?.code, calls]).toEqual([4401, []]);
});
