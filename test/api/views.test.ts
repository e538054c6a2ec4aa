// Reading a conversation changes nothing: text of a skill without access is not returned, and reading does not unload the skill.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, talk } from "../support/chat-turns";

const GROUP = "/api/v1/groups/look-team";
const WORDS = "Words of the group.";

interface Events {
  events: { type: string; reason?: string }[];
}

describe("a GET of a conversation", () => {
  it("appends no event, and does not report a lost skill", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "look-team" } });
    const author = await keyFor("look-author", { groups: ["look-team"] });
    await publishOwn(author, { name: "look-skill", body: WORDS }, "look-team");
    const join = (role = "Reporter") => call("PUT", `${GROUP}/members/look-ada`, { json: { role } });
    const leave = () => call("DELETE", `${GROUP}/members/look-ada`);
    const key = await keyFor("look-ada");
    await join();
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("look-skill");
    const get = async (what: string) => (await call("GET", what, { key })).text();
    const id = chat.route.slice(chat.route.lastIndexOf("/") + 1);
    const views = [chat.route, `${chat.route}/prompt`, `${chat.route}/tools`, `/api/v1/tasks/${id}/skills`];
    const events = async () => JSON.parse(await get(`${chat.route}/events`)) as Events;
    const logged = await events();

    await leave();
    const [status = "", prompt, tools, task] = await Promise.all(views.map(get));
    expect(JSON.parse(status)).toMatchObject({
      active: [],
      warnings: [{ code: "SKILL_UNLOADED", path: "look-skill" }],
    });
    expect(prompt).not.toContain(WORDS);
    for (const text of [prompt, tools, task]) expect(text).not.toContain("look-skill");
    // Again, with the gateway's cache filled.
    expect(JSON.parse(await get(chat.route))).toMatchObject({ active: [], warnings: [{ path: "look-skill" }] });
    expect(await events()).toEqual(logged);

    await join();
    expect(JSON.parse(await get(chat.route))).toMatchObject({ active: [{ skill: "look-skill" }], warnings: [] });
    expect(await get(`${chat.route}/prompt`)).toContain(WORDS);
    expect(await events()).toEqual(logged);

    await leave();
    await get(chat.route);
    const step = await chat.calls({ id: "x", name: "read_skill", arguments: { skill_name: "look-skill" } });
    expect(step.active).toEqual([]);
    expect(step.warnings).toMatchObject([{ code: "SKILL_UNLOADED", path: "look-skill" }]);
    expect((await events()).events.slice(logged.events.length)).toMatchObject([
      { type: "unloaded", name: "look-skill", reason: "unavailable" },
    ]);
  });
});
