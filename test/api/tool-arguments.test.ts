// Arguments of a model for a skill's tool: violations of the `inputSchema` are reported before the code runs.

import { expect, it } from "vitest";
import { publishPublic, talk, textOf } from "../support/chat-turns";
import { providerSkill } from "../support/provider";

const inputSchema = {
  type: "object",
  properties: { commits: { type: "array", items: { type: "string" } }, limit: { type: "integer" } },
  required: ["commits"],
};
const skill = (name: string) =>
  providerSkill(name, {
    [`${name}_log`]: { call: "return args.commits.filter((one) => one !== '').length", inputSchema },
  });

const PROBLEMS = "\n- 'commits' must be an array, and is a string\n- 'limit' must be an integer, and is a string";

it("invalid arguments are reported with their path and the expected value, and valid ones reach the code", async () => {
  await publishPublic(skill("change"));
  const chat = await talk("alice");
  await chat.load("change");
  const unfit = await chat.use("change_log", { commits: "a", limit: "3" });
  expect(unfit.isError).toBe(true);
  expect(textOf(unfit)).toBe(
    `Error: The arguments of 'change_log' do not fit its inputSchema. Fix them and call it again:${PROBLEMS}`,
  );
  expect(textOf(await chat.use("change_log"))).toContain("'commits' is missing (an array)");
  expect(textOf(await chat.use("change_log", { commits: ["a", ""], more: 1 }))).toBe("1");
});

it("so are those of call_skill_tool, where the list of tools is fixed", async () => {
  await publishPublic(skill("fixed"));
  const chat = await talk("alice", { tool_mode: "fixed" });
  await chat.load("fixed");
  const call = (commits: unknown) => chat.use("call_skill_tool", { name: "fixed_log", arguments: { commits } });
  expect(textOf(await call({ a: 1 }))).toContain("'commits' must be an array, and is an object");
  expect(textOf(await call(["a"]))).toBe("1");
});

it("a schema that makes no sense is not held against them, nor does one that never ends keep the call waiting", async () => {
  const schemas = {
    odd: { type: "object", properties: { a: { type: "strng" }, b: { pattern: "^(a+)+$" } }, required: 5 },
    endless: { type: "object", $ref: "#", anyOf: [{ $ref: "#" }, { $ref: "#" }] },
  };
  const tools = Object.entries(schemas).map(([name, given]) => [name, { call: "return 'ran'", inputSchema: given }]);
  await publishPublic(providerSkill("strange", Object.fromEntries(tools)));
  const chat = await talk("alice");
  await chat.load("strange");
  for (const name of Object.keys(schemas))
    expect(textOf(await chat.use(name, { a: 1, b: `${"a".repeat(60)}b` })), name).toBe("ran");
});
