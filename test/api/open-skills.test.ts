// The list of open skills: only admins can read and change it, only public skills can be added, and the audit log records each change.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";

const OPEN = "/api/v1/open-skills";
const admin = () => keyFor("open-admin", { role: "admin" });
let key: string;
beforeAll(async () => {
  key = await admin();
});

const list = async () =>
  (await (await call("GET", OPEN, { key })).json<{ items: { skill_id: string; name: string; opened_by: string }[] }>())
    .items;
const acts = async (action: string, id: string) =>
  (
    await (
      await call("GET", `/api/v1/audit?resource_id=${id}&action=${action}`, { key })
    ).json<{
      items: { user_id: string; before: unknown; after: unknown }[];
    }>()
  ).items;

describe("the open list", () => {
  it("has what an admin opened, once, until it is closed, and the log has both", async () => {
    const { id } = await publishPublic({ name: "opened" });
    const opened = await call("PUT", `${OPEN}/${id}`, { key });
    expect([opened.status, await opened.json()]).toMatchObject([200, { skill_id: id, opened_by: "open-admin" }]);
    expect((await call("PUT", `${OPEN}/${id}`, { key })).status).toBe(200);
    expect(await list()).toMatchObject([{ skill_id: id, name: "opened" }]);
    expect(await acts("skill.open", id)).toMatchObject([{ user_id: "open-admin", after: { name: "opened" } }]);

    expect((await call("DELETE", `${OPEN}/${id}`, { key })).status).toBe(204);
    expect((await call("DELETE", `${OPEN}/${id}`, { key })).status).toBe(404);
    expect(await list()).toEqual([]);
    expect(await acts("skill.close", id)).toMatchObject([{ before: { name: "opened" } }]);
  });

  it("accepts public skills only, not even an admin's own", async () => {
    const { id } = await publishOwn(key, { name: "kept-private" });
    const refused = await call("PUT", `${OPEN}/${id}`, { key });
    expect([refused.status, (await refused.json<{ code: string }>()).code]).toEqual([409, "SKILL_NOT_PUBLIC"]);
    const foreign = await publishOwn(await keyFor("open-other"), { name: "somebody-elses" });
    expect((await call("PUT", `${OPEN}/${foreign.id}`, { key })).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it("forgets a skill that is deleted: one of the same name later is not open", async () => {
    const { id } = await publishPublic({ name: "replaced" });
    await call("PUT", `${OPEN}/${id}`, { key });
    expect((await call("DELETE", `/api/v1/kinds/skills/${id}`, { key })).status).toBe(204);
    await publishPublic({ name: "replaced" });
    expect(await list()).toEqual([]);
  });
});
