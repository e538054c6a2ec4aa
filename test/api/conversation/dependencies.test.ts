import { beforeEach, expect, it } from "vitest";
import { publishOwn, publishPublic, type Step, talk, textOf } from "../../support/chat-turns";
import { clearRegistry } from "../../support/registry";

beforeEach(clearRegistry);

const needing = (...needs: string[]) => ({ frontmatter: `dependencies: ${JSON.stringify(needs)}` });
const activeIn = ({ active }: Pick<Step, "active">) => active.map(({ skill }) => skill);

/** Publishes skills and loads one. Checks the warnings of publishing, the answer, and the active skills. */
async function loading(...needs: string[]) {
  for (const name of ["transformers", "helper"]) await publishPublic({ name, version: "1.0.0", body: `Do ${name}.` });
  const { warnings } = await publishPublic({ name: "vllm", ...needing(...needs) });
  const chat = await talk("loader");
  await chat.turn();
  const answer = await chat.load("vllm");
  const { active } = await chat.calls();
  return { warnings, answer, active: activeIn({ active }) };
}

it.each<[string, string[], [code: string, named: string][], string[]]>([
  ["a missing name", ["nowhere"], [["DEPENDENCY_MISSING", "'nowhere'"]], []],
  ["its own name", ["vllm"], [["DEPENDENCY_ON_ITSELF", "'vllm'"]], []],
  [
    "packages",
    ["vllm>=0.5", "transformers[torch]"],
    [
      ["DEPENDENCY_INVALID", "'vllm>=0.5'"],
      ["DEPENDENCY_INVALID", "'transformers[torch]'"],
    ],
    [],
  ],
  [
    "packages, of which one is called as a skill is",
    ["torch", "transformers"],
    [
      ["DEPENDENCY_MISSING", "'torch'"],
      ["DEPENDENCY_NOT_LOADED", "'transformers'"],
    ],
    [],
  ],
  [
    "its own name and one that is called as a skill is",
    ["vllm", "transformers"],
    [
      ["DEPENDENCY_ON_ITSELF", "'vllm'"],
      ["DEPENDENCY_NOT_LOADED", "'transformers'"],
    ],
    [],
  ],
  ["a version that is nowhere", ["helper@>=2"], [["DEPENDENCY_MISSING", "'helper' (>=2)"]], []],
  ["a skill, and packages", ["helper@*", "torch>=2"], [["DEPENDENCY_INVALID", "'torch>=2'"]], ["helper"]],
])("a skill that needs %s loads", async (_, needs, expected, along) => {
  const { warnings, answer, active } = await loading(...needs);
  expect(answer.isError ?? false, textOf(answer)).toBe(false);
  expect(active.toSorted()).toEqual([...along, "vllm"].toSorted());
  const told = warnings.filter(({ code }) => code.startsWith("DEPENDENC"));
  expect(told.map(({ code }) => code).toSorted()).toEqual(expected.map(([code]) => code).toSorted());
  for (const [code, name] of expected)
    expect(
      told.some((one) => one.code === code && one.message.includes(name)),
      name,
    ).toBe(true);
  // The answer lists every unresolved name that the model might look for.
  for (const need of needs.filter((name) => !along.some((other) => name.startsWith(other))))
    expect(textOf(answer)).toContain(`'${need}'`);
});

it("a skill that needs skills loads with them, and has nothing to say of it", async () => {
  const { warnings, answer, active } = await loading("transformers", "helper@^1");
  expect([active, warnings]).toEqual([["transformers", "helper", "vllm"], []]);
  expect(textOf(answer)).not.toContain("dependencies");
});

it("skills that need each other load once each", async () => {
  await publishPublic({ name: "chicken", ...needing("egg") });
  await publishPublic({ name: "egg", ...needing("chicken") });
  const chat = await talk("farmer");
  await chat.turn();
  expect((await chat.load("chicken")).isError).toBeUndefined();
  expect(activeIn(await chat.calls())).toEqual(["egg", "chicken"]);
  expect(activeIn(await chat.turn())).toEqual(["egg", "chicken"]);
});

it("a version that contradicts a loaded one is refused, whether it is there or not", async () => {
  const { id } = await publishPublic({ name: "helper", version: "1.0.0" });
  await publishPublic({ name: "old", ...needing("helper@^1") });
  await publishPublic({ name: "new", ...needing("helper@^2") });
  const chat = await talk("updater");
  await chat.turn();
  await chat.load("old");
  expect(await chat.load("new")).toMatchObject({ isError: true });
  expect(id).not.toBe("");
  await publishPublic({ name: "helper", version: "2.0.0", body: "Do it anew." });
  expect(await chat.load("new")).toMatchObject({ isError: true });
  expect(activeIn(await chat.calls())).toEqual(["helper", "old"]);
});

it("preloaded and selected skills work without it too, and the back end receives a warning", async () => {
  await publishPublic({ name: "first", ...needing("gone-one") });
  await publishPublic({ name: "second", ...needing("gone-two") });
  const chat = await talk("chooser", { spec: { preload_skills: ["first"] } });
  const { active, warnings } = await chat.turn({ selected_skills: ["second"] });
  expect(activeIn({ active })).toEqual(["first", "second"]);
  expect(warnings.map(({ code, path }) => [code, path])).toEqual([
    ["DEPENDENCY_MISSING", "first"],
    ["DEPENDENCY_MISSING", "second"],
  ]);
});

it("a package's name does not bring in what a user has called so", async () => {
  const chat = await talk("namer");
  await publishPublic({ name: "trainer", ...needing("torch", "numpy") });
  await publishOwn(chat.key, { name: "torch", body: "Own torch." });
  await chat.turn();
  await chat.load("trainer");
  expect(activeIn(await chat.calls())).toEqual(["trainer"]);
});
