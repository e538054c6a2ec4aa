// The stream of registry events: what it contains, for whom, from where it continues, and when it ends.

import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_LIMITS } from "../../src/domain/events/limits";
import { deleteOldEvents } from "../../src/storage/d1/events";
import { call, keyFor } from "../support/call";
import { published, publishOwn, publishPublic } from "../support/chat-turns";
import { contextOf } from "../support/context";
import { askForEvents, EventReader } from "../support/event-stream";
import { crewWith, skillIn, submitted } from "../support/reviews";
import { form, skillZip } from "../support/skill";

const SKILLS = "/api/v1/kinds/skills";
const DAY = 24 * 60 * 60_000;

let people = 0;
const person = (name: string) => `event-${name}-${people++}`;
const streams: EventReader[] = [];

async function open(key: string, lastId?: string) {
  const opened = await EventReader.open(key, lastId);
  streams.push(opened.stream);
  return opened;
}

beforeEach(() => env.DB.prepare("DELETE FROM events").run());
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()));
});

describe("the stream of events", () => {
  it("has the events of a user's skills, in order, with the body of a webhook", async () => {
    const ada = await keyFor(person("ada"));
    const { stream, first } = await open(ada);
    expect(first).toEqual([{ id: expect.stringMatching(/^\d+\.\d+$/), type: "ready", data: {} }]);
    const { id, version_id: one } = await publishOwn(ada, { name: "told", body: "One." });
    const zip = form(skillZip({ name: "told", body: "Two." }));
    const two = await published(await call("PUT", `${SKILLS}/${id}`, { key: ada, body: zip }));
    const version = `${SKILLS}/${id}/versions`;
    await call("POST", `${version}/${one}/activate`, { key: ada });
    await call("POST", `${version}/${two.version_id}/yank`, { key: ada, json: {} });
    await call("DELETE", `${SKILLS}/${id}`, { key: ada });
    const event = await stream.next();
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+\.\d+$/),
      type: "skill.published",
      data: {
        type: "skill.published",
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: { skill_id: id, name: "told", version_id: one, version: null },
      },
    });
    expect(await stream.take(4)).toEqual([
      ...["skill.published told", "skill.activated told", "skill.yanked told", "skill.deleted told"],
    ]);
  });

  it("has public skills and those of the user's groups, and nothing of others", async () => {
    const [member, stranger] = [person("member"), person("stranger")];
    const group = person("crew");
    await call("POST", "/api/v1/groups", { json: { name: group } });
    await call("PUT", `/api/v1/groups/${group}/members/${member}`, { json: { role: "Developer" } });
    const [ada, eve] = [await keyFor(member), await keyFor(stranger)];
    const [{ stream: hers }, { stream: his }] = [await open(ada), await open(eve)];
    await publishOwn(ada, { name: "private" });
    await publishOwn(ada, { name: "shared" }, group);
    await publishPublic({ name: "open" });
    await publishOwn(eve, { name: "his-own" });
    expect(await hers.take(3)).toEqual(["skill.published private", "skill.published shared", "skill.published open"]);
    expect(await his.take(2)).toEqual(["skill.published open", "skill.published his-own"]);
  });

  it("has no submissions, and nothing of a deleted group whose name is used again", async () => {
    const crew = await crewWith("optional");
    await publishOwn(crew.dev, { name: "before" }, crew.group);
    await submitted(crew.dev, { name: "secret-draft" }, { namespace: crew.group });
    await publishOwn(crew.dev, { name: "after" }, crew.group);
    const list = async (key: string) => (await call("GET", "/api/v1/events?last_event_id=0.0", { key })).text();
    const { stream } = await open(crew.rob);
    await publishOwn(crew.dev, { name: "last" }, crew.group);
    expect(await stream.take(1)).toEqual(["skill.published last"]);
    expect(await list(crew.rob)).not.toContain("secret-draft");
    const { results } = await env.DB.prepare("SELECT type, scope FROM events").all();
    expect(results.map(({ type }) => type)).not.toContain("review.requested");
    for (const name of ["before", "after", "last"]) {
      const skill = await skillIn(crew.dev, crew.group, name);
      await call("DELETE", `${SKILLS}/${skill?.id}`, { key: crew.owner });
    }
    expect((await call("DELETE", `/api/v1/groups/${crew.group}`)).status).toBe(204);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM events WHERE scope = ?")
      .bind(`group:${crew.group}`)
      .first<number>("n");
    expect(left).toBe(0);
  });

  it("continues after the last received event, with what was missed", async () => {
    const ada = await keyFor(person("ada"));
    const { stream } = await open(ada);
    await publishOwn(ada, { name: "one" });
    const last = await stream.next();
    await stream.close();
    await publishOwn(ada, { name: "two" });
    await publishOwn(ada, { name: "three" });
    const again = await open(ada, last?.id ?? "");
    expect(again.first.map(({ type, data }) => [type, data.data?.name])).toEqual([
      ["skill.published", "two"],
      ["skill.published", "three"],
      ["ready", undefined],
    ]);
    await publishOwn(ada, { name: "four" });
    expect(await again.stream.take(1)).toEqual(["skill.published four"]);
  });

  it("tells a reader to list again if it may have missed deleted events", async () => {
    const ada = await keyFor(person("ada"));
    await publishOwn(ada, { name: "now" });
    const newest = Number((await env.DB.prepare("SELECT max(seq) AS seq FROM events").first<number>("seq")) ?? 0);
    const old = Date.now() - 8 * DAY;
    for (const id of [`${old}.${newest}`, `${Date.now()}.${newest + 50}`, "nonsense", "1.2.3", "-1.5", ""]) {
      const { first } = await open(ada, id);
      expect([id, first.map(({ type }) => type)]).toEqual([id, ["reset"]]);
    }
    const { first, stream } = await open(ada, `${Date.now()}.${newest}`);
    expect(first.map(({ type }) => type)).toEqual(["ready"]);
    await publishOwn(ada, { name: "next" });
    expect(await stream.take(1)).toEqual(["skill.published next"]);
  });

  it("tells only the readers of a scope whose oldest events were deleted because it has too many", async () => {
    const [ada, eve] = [person("ada"), person("eve")];
    const [hers, his] = [await keyFor(ada), await keyFor(eve)];
    const { first } = await open(his);
    const insert = env.DB.prepare("INSERT INTO events (scope, type, data) VALUES (?, 'skill.published', ?)");
    const many = Array.from({ length: EVENT_LIMITS.perScope + 5 }, (_, n) =>
      insert.bind(`user:${ada}`, JSON.stringify({ skill_id: "s", name: `n${n}` })),
    );
    await env.DB.batch([insert.bind(`user:${eve}`, JSON.stringify({ skill_id: "s", name: "his" })), ...many]);
    await deleteOldEvents(contextOf("admin").db, Date.now() - 7 * DAY);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM events WHERE scope = ?")
      .bind(`user:${ada}`)
      .first("n");
    expect(left).toBe(EVENT_LIMITS.perScope + 1);
    const from = first[0]?.id ?? "";
    expect((await open(hers, from)).first.map(({ type }) => type)).toEqual(["reset"]);
    expect((await open(his, from)).first.map(({ type }) => type)).toEqual(["skill.published", "ready"]);
  });

  it("goes on after the object with the sockets has hibernated", async () => {
    const ada = await keyFor(person("ada"));
    const { stream } = await open(ada);
    await publishOwn(ada, { name: "before" });
    expect(await stream.take(1)).toEqual(["skill.published before"]);
    await evictDurableObject(env.EVENTS.getByName("events"));
    await publishOwn(ada, { name: "after" });
    expect(await stream.take(1)).toEqual(["skill.published after"]);
  });

  it("delivers an event whose announcement was lost, with the next one", async () => {
    const user = person("ada");
    const ada = await keyFor(user);
    const { stream } = await open(ada);
    await env.DB.prepare("INSERT INTO events (scope, type, data) VALUES (?, 'skill.published', ?)")
      .bind(`user:${user}`, JSON.stringify({ skill_id: "s", name: "lost" }))
      .run();
    await publishOwn(ada, { name: "found" });
    expect(await stream.take(2)).toEqual(["skill.published lost", "skill.published found"]);
  });

  it("ends without the event if the key was revoked", async () => {
    const user = person("ada");
    const made = await call("POST", "/api/v1/keys", { json: { user_id: user } });
    const { key, id } = await made.json<{ key: string; id: string }>();
    const other = await keyFor(user);
    const [{ stream: revoked }, { stream: valid }] = [await open(key), await open(other)];
    expect((await call("DELETE", `/api/v1/keys/${id}`)).ok).toBe(true);
    await publishOwn(other, { name: "secret" });
    expect(await valid.take(1)).toEqual(["skill.published secret"]);
    expect(await revoked.next()).toBeNull();
    expect((await askForEvents(key)).status).toBe(401);
  });

  it("has no events of a group that the user has left", async () => {
    const user = person("ada");
    const group = person("crew");
    await call("POST", "/api/v1/groups", { json: { name: group } });
    await call("PUT", `/api/v1/groups/${group}/members/${user}`, { json: { role: "Reporter" } });
    const ada = await keyFor(user);
    const { stream } = await open(ada);
    await call("DELETE", `/api/v1/groups/${group}/members/${user}`);
    await call("POST", `${SKILLS}/upload`, { body: form(skillZip({ name: "theirs" }), { namespace: group }) });
    await publishOwn(ada, { name: "hers" });
    expect(await stream.take(1)).toEqual(["skill.published hers"]);
  });

  it("is limited for each user, and a closed stream makes room", async () => {
    const ada = await keyFor(person("ada"));
    const opened = [];
    for (let n = 0; n < EVENT_LIMITS.perUser; n++) opened.push(await open(ada));
    const refused = await askForEvents(ada);
    expect([refused.status, (await refused.json<{ code: string }>()).code]).toEqual([429, "TOO_MANY_STREAMS"]);
    await open(await keyFor(person("eve")));
    await opened[0]?.stream.close();
    await expect
      .poll(async () => {
        const answer = await askForEvents(ada);
        await answer.body?.cancel();
        return answer.status;
      })
      .toBe(200);
  });

  it("needs a key that can read skills, and HEAD opens no stream", async () => {
    expect((await call("GET", "/api/v1/events", { key: null })).status).toBe(401);
    const limited = await keyFor(person("limited"), { scopes: ["chat"] });
    expect((await call("GET", "/api/v1/events", { key: limited })).status).toBe(403);
    const headers = { authorization: `Bearer ${await keyFor(person("head"))}`, accept: "text/event-stream" };
    const head = await exports.default.fetch("https://gateway.test/api/v1/events", { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/json"]);
  });

  it("is a list of what was missed without `Accept: text/event-stream`", async () => {
    const ada = await keyFor(person("ada"));
    const list = async (after?: string) =>
      (await call("GET", `/api/v1/events${after === undefined ? "" : `?last_event_id=${after}`}`, { key: ada })).json<{
        events: { id: string; type: string; timestamp: string; data: object }[];
        last_event_id: string;
        reset: boolean;
      }>();
    await publishOwn(ada, { name: "before" });
    const start = await list();
    expect(start).toEqual({ events: [], last_event_id: expect.any(String), reset: false });
    await publishOwn(ada, { name: "after" });
    const missed = await list(start.last_event_id);
    expect(missed.events).toEqual([
      {
        ...{ id: expect.any(String), type: "skill.published", timestamp: expect.any(String) },
        data: expect.objectContaining({ name: "after" }),
      },
    ]);
    expect((await list(missed.last_event_id)).events).toEqual([]);
    expect(await list("1.1")).toMatchObject({ events: [], reset: true });
  });
});
