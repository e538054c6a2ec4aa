// Pins that select one of several skills with the same name: in ghosts, inline specs, skills a user adds, and turns. A pin grants no
// access.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, type Step, type Talk, talk } from "../../support/chat-turns";
import { seedSkill } from "../../support/registry";

const GHOSTS = "/api/v1/kinds/ghosts";
const ids: Record<string, string> = {};
let ada: string;
let ben: string;

beforeAll(async () => {
  ada = await keyFor("ada", { groups: ["pinners"] });
  ben = await keyFor("ben", { groups: ["pinners"] });
  await call("PUT", "/api/v1/groups/pinners/members/ada", { json: { role: "Owner" } });
  const seeded = async (scope: string, body: string, name = "wiki") => (await seedSkill({ scope, name, body })).id;
  ids.public = await seeded("public", "The public one.");
  ids.group = await seeded("group:pinners", "The group's.");
  ids.own = await seeded("user:ada", "Ada's own.");
  ids.lone = await seeded("user:lone", "The lone one's.");
  await seeded("user:lone", "Nobody else sees this.", "hidden");
  await seeded("public", "Plain.", "plain");
  ids.extra = (await publishOwn(ada, { name: "extra", body: "Ada's extra." })).id;
}, 60_000);

const REFS: [string, object, string][] = [
  ["by is_public", { is_public: true, namespace: "default" }, "The public one."],
  ["by the group's namespace", { namespace: "pinners", is_public: false }, "The group's."],
  ["by one's own namespace", { namespace: "default", is_public: false, content_hash: "ab" }, "Ada's own."],
  ["by a number of Wegent's, and what is said besides", { skill_id: 17, namespace: "pinners" }, "The group's."],
  ["by nothing but such a number", { skill_id: "17" }, "Ada's own."],
];
const whichOf = async (chat: Talk, begun?: Step) => {
  const { prompt } = begun ?? (await chat.turn());
  const bodies = ["The public one.", "The group's.", "Ada's own.", "The lone one's.", "Nobody else sees this."];
  return bodies.filter((body) => prompt.system.includes(body));
};
const codes = ({ warnings }: Step) => warnings.map(({ code, path }) => `${code} ${path ?? ""}`);

async function ghost(key: string, name: string, spec: object, namespace = "default") {
  const answer = await call("POST", GHOSTS, { key, json: { metadata: { name, namespace }, spec } });
  return {
    status: answer.status,
    body: await answer.json<{ spec: object; issues: { code: string }[]; metadata: { labels: { id: string } } }>(),
  };
}

describe("a spec's reference", () => {
  it.each(REFS)("says which skill of a name is meant, %s", async (how, ref, expected) => {
    const spec = { skills: ["wiki"], preload_skills: ["wiki"], skill_refs: { wiki: ref } };
    expect(await whichOf(await talk({ key: ada }, { spec }))).toEqual([expected]);
    const name = `Ghost ${REFS.findIndex(([each]) => each === how)}`;
    expect(await ghost(ada, name, spec)).toMatchObject({ status: 201, body: { spec } });
    expect(await whichOf(await talk({ key: ada }, { ghost: name }))).toEqual([expected]);
    // Also with `skills: ["*"]`, and with a pin only on the preloaded skill.
    const all = { skills: ["*"], preload_skills: ["wiki"], preload_skill_refs: { wiki: ref } };
    expect(await whichOf(await talk({ key: ada }, { spec: all }))).toEqual([expected]);
  });

  it("by id is one to that skill, wherever it is said to be", async () => {
    const spec = {
      skills: ["wiki"],
      preload_skills: ["wiki"],
      skill_refs: { wiki: { skill_id: ids.group, is_public: true } },
    };
    expect(await whichOf(await talk({ key: ada }, { spec }))).toEqual(["The group's."]);
  });

  it.each([
    ["another's skill by its id", () => ({ skill_id: ids.lone })],
    ["a group that one is not in", () => ({ namespace: "strangers" })],
    ["one's own where there is none", () => ({ namespace: "default" })],
    ["an id of another name", () => ({ skill_id: ids.own })],
    ["no skill at all", () => ({ skill_id: "skl_none" })],
  ])("to %s is one to none, and never to the next of that name", async (what, ref) => {
    const refs = { wiki: ref(), plain: what === "an id of another name" ? { skill_id: ids.public } : {} };
    const spec = { skills: ["wiki", "plain"], preload_skills: ["wiki"], skill_refs: refs };
    const refused = await ghost(ben, `Blind ${what.replace("'", "")}`, spec);
    expect(refused.status).toBe(400);
    expect(refused.body.issues[0]).toEqual({
      code: "UNKNOWN_SKILL",
      message: expect.stringMatching(/^Skill '\w+' not found\. /),
      path: expect.any(String),
    });
    const chat = await talk({ key: ben }, { spec });
    const begun = await chat.turn();
    expect(codes(begun)).toEqual(expect.arrayContaining(["SKILL_UNAVAILABLE wiki", "PRELOAD_UNAVAILABLE wiki"]));
    expect(await whichOf(chat, begun)).toEqual([]);
    expect((await chat.load("wiki")).isError).toBe(true);
  });

  it("gives no access: neither to a skill outside the list nor through a former group", async () => {
    const spec = { skills: ["plain"], skill_refs: { wiki: { skill_id: ids.public }, plain: { is_public: true } } };
    const made = await call("POST", GHOSTS, { key: ben, json: { metadata: { name: "narrow" }, spec } });
    expect(await made.json()).toMatchObject({
      status: { warnings: [{ code: "REF_UNUSED", path: "spec.skill_refs.wiki" }] },
    });
    expect((await (await talk({ key: ben }, { ghost: "narrow" })).load("wiki")).isError).toBe(true);

    const leaver = await keyFor("leaver", { groups: ["pinners"] });
    const chat = await talk(
      { key: leaver },
      { spec: { preload_skills: ["wiki"], skill_refs: { wiki: { skill_id: ids.group } } } },
    );
    expect(await whichOf(chat)).toEqual(["The group's."]);
    await call("DELETE", "/api/v1/groups/pinners/members/leaver", { key: leaver });
    expect(await whichOf(chat)).toEqual([]);
  });

  it("of a shared ghost is to what everybody has", async () => {
    const own = { skills: ["wiki"], skill_refs: { wiki: { namespace: "default" } } };
    expect(await ghost(ada, "Shared own", own, "pinners")).toMatchObject({
      status: 400,
      body: { issues: [{ code: "SKILL_NOT_SHARED" }] },
    });
    const everybodys = { skills: ["wiki"], preload_skills: ["wiki"], skill_refs: { wiki: { is_public: true } } };
    expect((await ghost(ada, "Shared", everybodys, "pinners")).status).toBe(201);
    for (const key of [ada, ben])
      expect(await whichOf(await talk({ key }, { ghost: "Shared" }))).toEqual(["The public one."]);
  });

  it("goes with its skill when references are removed", async () => {
    const { id } = await publishOwn(ada, { name: "going" });
    const spec = {
      skills: ["*", "going", "plain"],
      skill_refs: { going: { skill_id: id }, plain: { is_public: true } },
    };
    const made = await ghost(ada, "Losing", spec);
    expect(made.status).toBe(201);
    expect((await call("POST", `/api/v1/kinds/skills/${id}/remove-references`, { key: ada })).status).toBe(200);
    const left = await call("GET", `${GHOSTS}/${made.body.metadata.labels.id}`, { key: ada });
    expect(await left.json()).toMatchObject({
      spec: { skills: ["*", "plain"], skill_refs: { plain: { is_public: true } } },
    });
    expect(
      JSON.stringify(
        (await (await call("GET", `${GHOSTS}/${made.body.metadata.labels.id}`, { key: ada })).json<{ spec: object }>())
          .spec,
      ),
    ).not.toContain("going");
  });
});

describe("null", () => {
  const nulls = {
    systemPrompt: null,
    mcpServers: null,
    skills: null,
    preload_skills: null,
    skill_refs: null,
    preload_skill_refs: null,
    retentionTurns: null,
  };

  it("is a list of no skills, in a stored ghost and inline, where no list at all is every skill", async () => {
    expect(await ghost(ada, "Nulls", nulls)).toMatchObject({
      status: 201,
      body: { spec: { systemPrompt: "", skills: [] } },
    });
    for (const settings of [{ ghost: "Nulls" }, { spec: nulls }, { spec: { skills: null } }]) {
      const chat = await talk({ key: ada }, settings);
      expect((await chat.turn()).tools).toEqual([]);
    }
    expect((await (await talk({ key: ada }, { spec: { preload_skills: null } })).turn()).tools).not.toEqual([]);
  });

  it("rejects invalid values", async () => {
    expect(await ghost(ada, "Odd", { skills: [], other: null })).toMatchObject({
      status: 400,
      body: { issues: [{ code: "UNKNOWN_FIELD" }] },
    });
    expect((await ghost(ada, "Odd", { skills: [null] })).status).toBe(400);
  });
});

describe("what a user adds to a ghost's skills", () => {
  const taskOf = async ({ route, key }: Talk) =>
    (await call("GET", `/api/tasks/${route.split("/").at(-1)}/skills`, { key })).json();

  it("is there in every turn, named to the model and to executors", async () => {
    const chat = await talk({ key: ada }, { spec: { skills: ["plain"] }, additional_skills: ["extra"] });
    for (let turn = 1; turn <= 2; turn++) {
      const begun = await chat.turn();
      expect(begun.active).toMatchObject([{ skill: "extra", reason: "selected" }]);
      expect(begun.prompt.system).toContain("so prefer them: extra.");
      expect(begun.prompt.system).toContain("- **extra**");
      expect(begun.warnings).toEqual([]);
    }
    const skill = await call("GET", `/api/v1/kinds/skills/${ids.extra}`, { key: ada });
    const { status } = await skill.json<{ status: { fileHash: string } }>();
    expect(status.fileHash).toMatch(/^[0-9a-f]{64}$/);
    expect(await taskOf(chat)).toMatchObject({
      skills: ["extra", "plain"],
      skill_refs: { extra: { content_hash: status.fileHash } },
      preload_skills: ["extra"],
      user_selected_skills: ["extra"],
      preload_skill_refs: { extra: { namespace: "default", is_public: false } },
    });
    // Settings of a turn change it; unnamed settings stay.
    expect((await chat.turn({ conversation: { shell: "Chat" } })).active).toHaveLength(1);
    expect((await chat.turn({ conversation: { additional_skills: [] } })).active).toEqual([]);
    expect(await taskOf(chat)).toMatchObject({ skills: ["plain"], user_selected_skills: [] });
  });

  it.each(REFS)("is the one that the user picked, %s", async (_, ref, expected) => {
    const additional_skills = [{ name: "wiki", ...ref }];
    expect(await whichOf(await talk({ key: ada }, { spec: { skills: ["plain"] }, additional_skills }))).toEqual([
      expected,
    ]);
  });

  it("stands in for the ghost's of that name only where it is picked, and then for this user only", async () => {
    const spec = { skills: ["wiki"], preload_skills: ["wiki"] };
    expect((await ghost(ada, "Agent", spec, "pinners")).status).toBe(201);
    const which = async (key: string, additional_skills: unknown[]) =>
      whichOf(await talk({ key }, { ghost: "Agent", additional_skills }));
    expect(await which(ada, ["wiki"])).toEqual(["The group's."]);
    expect(await which(ada, [{ name: "wiki", namespace: "default" }])).toEqual(["Ada's own."]);
    expect(await which(ben, [])).toEqual(["The group's."]);
  });

  it("is only what the user sees", async () => {
    const additional_skills = [
      "hidden",
      { name: "wiki", skill_id: ids.lone },
      { name: "plain", namespace: "strangers" },
    ];
    const chat = await talk({ key: ben }, { spec: { skills: ["wiki"] }, additional_skills });
    const begun = await chat.turn();
    expect(codes(begun).sort()).toEqual([
      "SELECTED_UNAVAILABLE hidden",
      "SELECTED_UNAVAILABLE plain",
      "SELECTED_UNAVAILABLE wiki",
    ]);
    expect(begun.active).toEqual([]);
    for (const name of ["hidden", "plain"]) expect((await chat.load(name)).isError).toBe(true);
    // The ghost's own skill with that name is unchanged.
    expect((await chat.load("wiki")).isError).toBeUndefined();
  });

  it("may say what is meant by what is selected for one turn, and gets nothing else", async () => {
    const chat = await talk({ key: ada }, { spec: { skills: ["wiki"] } });
    const selected = (ref: object) => chat.turn({ selected_skills: [{ name: "wiki", ...ref }] });
    expect(await whichOf(chat, await selected({ namespace: "default" }))).toEqual(["Ada's own."]);
    const other = await selected({ is_public: true });
    expect([codes(other), other.active]).toEqual([["SELECTED_UNAVAILABLE wiki"], []]);
    expect((await selected({ skill_id: ids.lone })).active).toEqual([]);
  });
});
