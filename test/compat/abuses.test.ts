// Abuse of the client integrations and of imports, in one table: each attempt is rejected, reveals nothing about other users' resources,
// and changes nothing.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CallOptions, call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { release, upload } from "../support/clawhub";
import { begin, beginIndex, entryOf, fates, flatZip, IMPORTS, over, Site } from "../support/import-source";
import { skillZip } from "../support/skill";
import { gzipOf, tarOf } from "../support/tar";
import { filesForm } from "../support/vendor-skills";

/** Text that only its owner can read. */
const HIDDEN = "nobody-else-reads-this";
const INDEX = "/.well-known/agent-skills/index.json";
const ANTHROPIC = "/anthropic/v1/skills";
const OPENAI = "/openai/v1/skills";
const CLAW = "/api/v1/skills";
const SKILLS = "/api/v1/kinds/skills";

interface Owned {
  /** The id without its prefix, which is the same in all integrations. */
  id: string;
  version: string;
  archive: string;
  plugin: string;
}

/** The victim's skill, a public one that is not open, and the attacker's own. */
let [diary, lamp, decoy]: Owned[] = [];
let [adaKey, malKey, adminKey, readerKey, chatKey, reporterKey] = ["", "", "", "", "", ""];
let [adaLink, malLink, linkId, ticket, importId, yanked] = ["", "", "", "", "", ""];
const site = new Site();

const the = (one: Owned | undefined) => one ?? { id: "", version: "", archive: "", plugin: "" };
const names = async (key: string) => {
  const { skills } = await (await call("GET", `/s/own${INDEX}`, { key })).json<{ skills: { name: string }[] }>();
  return skills.map(({ name }) => name);
};

async function shelved(key: string, place: string, name: string, made: { id: string; version_id: string }) {
  const read = async (path: string) => (await call("GET", `${place}${path}`, { key })).text();
  const [index, market] = [await read(`/${name}${INDEX}`), await read("/.claude-plugin/marketplace.json")];
  const digest = (text: string) => new RegExp(`-/${name}/([0-9a-f]{64})`).exec(text)?.[1] ?? "none";
  const bare = (id: string) => id.replace(/^\w+_/, "");
  return { id: bare(made.id), version: bare(made.version_id), archive: digest(index), plugin: digest(market) };
}

async function join(group: string, members: Record<string, string>) {
  await call("POST", "/api/v1/groups", { json: { name: group } });
  for (const [user, role] of Object.entries(members))
    await call("PUT", `/api/v1/groups/${group}/members/${user}`, { json: { role } });
}

beforeAll(async () => {
  Site.open(site);
  [adaKey, malKey, reporterKey] = await Promise.all([
    keyFor("abuse-ada"),
    keyFor("abuse-mal"),
    keyFor("abuse-reporter"),
  ]);
  adminKey = await keyFor("abuse-admin", { role: "admin" });
  readerKey = await keyFor("abuse-mal", { scopes: ["skills:read"] });
  chatKey = await keyFor("abuse-mal", { scopes: ["chat"] });
  await join("abuse-crew", { "abuse-ada": "Owner", "abuse-reporter": "Reporter" });
  await join("abuse-mine", { "abuse-mal": "Maintainer" });
  const secret = { value: HIDDEN, hosts: [new URL(site.origin).hostname] };
  await call("PUT", "/api/v1/secrets/OWN", { key: malKey, json: secret });
  const ofGroup = { ...secret, scope: "group", group_name: "abuse-mine" };
  await call("PUT", "/api/v1/secrets/OF_GROUP", { key: malKey, json: ofGroup });
  // Groups whose names are parts of URLs.
  for (const group of ["own", "group", "anthropic"]) await join(group, { "abuse-ada": "Owner" });
  for (const group of ["abuse-crew", "own", "group", "anthropic"])
    await publishOwn(adaKey, { name: `${group}-notes`, body: HIDDEN }, group);
  diary = await shelved(adaKey, "/s/own", "diary", await publishOwn(adaKey, { name: "diary", body: HIDDEN }));
  lamp = await shelved(adaKey, "/s/public", "lamp", await publishPublic({ name: "lamp", body: "Trim it." }));
  await publishOwn(malKey, { name: "decoy", version: "0.0.9" });
  const first = await publishOwn(malKey, { name: "decoy", version: "0.0.7", body: "Two." });
  const last = await publishOwn(malKey, { name: "decoy", version: "1.2.3", body: "Three." });
  await call("POST", `${SKILLS}/${first.id}/versions/${first.version_id}/yank`, { key: malKey });
  yanked = first.version_id.replace(/^\w+_/, "");
  decoy = await shelved(malKey, "/s/own", "decoy", last);
  const link = async (key: string) =>
    (await call("POST", "/api/v1/links", { key, json: {} })).json<{ id: string; url: string }>();
  const made = await link(adaKey);
  [linkId, adaLink, malLink] = [made.id, new URL(made.url).pathname, new URL((await link(malKey)).url).pathname];
  ticket = (await upload(adaKey, "SKILL.md", HIDDEN)).uploadTicket;
  importId = (await over(adaKey, await begin(adaKey, { source: { type: "index", url: `${site.origin}/none` } }))).id;
});
afterAll(() => vi.restoreAllMocks());

/** Responses to the attacker, and the hosts that were requested meanwhile. */
const told: string[] = [];
const asked = new Set<string>();
/** Sends one request with the attacker's key or the given one, and returns the status. */
const ask = async (method: string, path: string, more: CallOptions = {}) => {
  const answer = await call(method, path, { key: malKey, ...more });
  told.push(JSON.stringify([...answer.headers]), new TextDecoder().decode(await answer.arrayBuffer()));
  return answer.status;
};
const get = (path: string, key: string | null = malKey) => ask("GET", path, { key });
const claw = async (json: object) => {
  const answer = await release(malKey, { slug: "decoy", version: "9.0.0", ...json });
  told.push(await answer.text());
  return answer.status;
};
const file = { path: "SKILL.md", size: 3, sha256: "0".repeat(64) };

/** Starts an import. Returns its error, or else the result of the import or of its one skill. */
async function brought(source: object, more: object = {}, key = malKey): Promise<string> {
  const answer = await call("POST", IMPORTS, { key, json: { source, ...more } });
  const body = await answer.json<{ id: string; code: string; issues?: { code: string }[] }>();
  if (answer.status !== 202) return `${answer.status} ${body.issues?.[0]?.code ?? body.code}`;
  const report = await over(key, body);
  await call("DELETE", `${IMPORTS}/${report.id}`, { key });
  return report.problem?.code ?? Object.values(fates(report)).join();
}
const from = (url: string) => brought({ type: "index", url });
/** Imports an index with one entry that leads to this content. */
async function entry(behind: Uint8Array | (() => Response), more: object = {}): Promise<string> {
  const bytes = behind instanceof Uint8Array ? behind : new Uint8Array(1);
  const url = "/bad.tgz";
  site.says(url, behind);
  await site.index([], [await entryOf("bad", bytes, { url, ...more })]);
  return from(site.origin);
}
const endless = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) }));
const packed = async (...entries: Parameters<typeof tarOf>[0]) => gzipOf(tarOf(entries));
/** Creates a mirror of an admin whose source changes afterwards. */
async function mirrored(name: string, then: () => Promise<unknown>): Promise<string> {
  await site.index([{ name }]);
  const first = await over(adminKey, await beginIndex(adminKey, site, { mirror: true }));
  const { skill_id, version_id } = first.items[0] ?? {};
  if (name === "pulled") await call("POST", `${SKILLS}/${skill_id}/versions/${version_id}/yank`, { key: adminKey });
  await then();
  const second = await over(adminKey, await beginIndex(adminKey, site));
  await call("DELETE", `${IMPORTS}/${second.id}`, { key: adminKey });
  return second.problem?.code ?? fates(second)[name] ?? "nothing";
}

/** Each attempt with its description and expected outcome. */
const ABUSES: [what: string, attempt: () => Promise<number | string>, outcome: number | string][] = [
  // Another's digest.
  [
    "another's archive by its digest at one's own place",
    () => get(`/s/own/.well-known/agent-skills/-/diary/${the(diary).archive}.zip`),
    404,
  ],
  ["… under a name of one's own", () => get(`/s/own/.well-known/agent-skills/-/decoy/${the(diary).archive}.zip`), 404],
  ["… at the public place", () => get(`/s/public/.well-known/agent-skills/-/diary/${the(diary).archive}.zip`), 404],
  [
    "… by one's own link",
    () => get(`${malLink}/.well-known/agent-skills/-/diary/${the(diary).archive}.zip`, null),
    404,
  ],
  ["… without a key", () => get(`/.well-known/agent-skills/-/diary/${the(diary).archive}.zip`, null), 404],
  [
    "a public archive that is not open, without a key",
    () => get(`/.well-known/agent-skills/-/lamp/${the(lamp).archive}.zip`, null),
    404,
  ],
  ["another's plugin by its digest", () => get(`/s/own/.claude-plugin/-/diary/${the(diary).plugin}.zip`), 404],
  ["… under a name of one's own", () => get(`/s/own/.claude-plugin/-/decoy/${the(diary).plugin}.zip`), 404],
  [
    "a plugin by the digest of the flat archive",
    () => get(`/s/own/.claude-plugin/-/decoy/${the(decoy).archive}.zip`),
    404,
  ],
  ["a plugin that names another's skill", () => get("/s/own/agent-plugin.zip?skills=diary"), 400],
  // Guessed links.
  ["a link with another's id and a guessed rest", () => get(`${adaLink.slice(0, -8)}00000000${INDEX}`, null), 404],
  ["a link's id alone", () => get(`/t/${linkId}${INDEX}`, null), 404],
  ["a key as a link", () => get(`/t/${malKey}${INDEX}`, null), 404],
  ["a link as a key", () => get("/api/v1/me", malLink.slice(3)), 401],
  ["writing by a link", () => ask("POST", `${malLink}/agent-plugin`, { key: null }), 404],
  ["a vendor's API by a link", () => get(`${malLink}${ANTHROPIC}`, null), 404],
  ["a link to a group that one is not in", () => ask("POST", "/api/v1/links", { json: { group: "abuse-crew" } }), 404],
  ["… as a Reporter", () => ask("POST", "/api/v1/links", { key: reporterKey, json: { group: "abuse-crew" } }), 403],
  [
    "a link to another's skill",
    () => ask("POST", "/api/v1/links", { json: { skills: [`skl_${the(diary).id}`] } }),
    404,
  ],
  ["ending another's link", () => ask("DELETE", `/api/v1/links/${linkId}`), 404],
  // Attacks on key scopes and on the owner of a scope path.
  ["a place with a key for chats", () => get(`/s/own${INDEX}`, chatKey), 403],
  [
    "a vendor's upload with a key that reads",
    () => ask("POST", OPENAI, { key: readerKey, body: filesForm({ name: "x" }) }),
    403,
  ],
  ["a plugin's upload with a key that reads", () => ask("POST", "/s/own/agent-plugin", { key: readerKey }), 403],
  ["another's place by On-Behalf-Of", () => ask("GET", `/s/own${INDEX}`, { as: "abuse-ada" }), 403],
  ["another's skill at a vendor's", () => get(`${ANTHROPIC}/skill_${the(diary).id}`), 404],
  ["… as an admin", () => get(`${ANTHROPIC}/skill_${the(diary).id}`, adminKey), 404],
  ["… of a group, at one's own place", () => get(`${OPENAI}/skill_${the(diary).id}/content`, reporterKey), 404],
  ["a group's place that one is not in", () => get(`/s/group/abuse-crew${INDEX}`), 404],
  ["a public skill that is changed at a vendor's", () => ask("DELETE", `${OPENAI}/skill_${the(lamp).id}`), 403],
  // A group whose name looks like a path.
  ["a group called own", () => get(`/s/group/own${INDEX}`), 404],
  ["… in other letters", () => get(`/s/group/%6fwn${INDEX}`), 404],
  ["a group called group, with another behind it", () => get(`/s/group/group/own${INDEX}`), 404],
  ["a group called like a vendor", () => get(`/s/group/anthropic${ANTHROPIC}`), 404],
  ["a group that climbs", () => get(`/s/group/x%2f..%2fown${INDEX}`), 404],
  // Slugs.
  ["another's slug by its owner", () => get(`${CLAW}/diary?ownerHandle=abuse-ada`), 404],
  ["… as a download", () => get("/api/v1/download?slug=diary&ownerHandle=abuse-ada"), 404],
  ["a group's slug, in capitals", () => get(`${CLAW}/abuse-crew-notes?ownerHandle=GROUP.Abuse-Crew`), 404],
  ["a slug that climbs", () => get(`${CLAW}/..%2fdiary`), 404],
  ["a file that climbs", () => get(`${CLAW}/decoy/file?path=..%2f..%2fdiary%2fSKILL.md`), 404],
  [
    "publishing as another",
    () => claw({ ownerHandle: "abuse-ada", files: [{ ...file, storageId: ticket, uploadTicket: ticket }] }),
    404,
  ],
  ["publishing another's upload", () => claw({ files: [{ ...file, storageId: ticket, uploadTicket: ticket }] }), 404],
  ["filling another's ticket", () => ask("POST", `${CLAW}/-/uploads/${ticket}`, { body: "Evil" }), 404],
  // Tricks with versions.
  [
    "another's version under one's own skill",
    () => get(`${ANTHROPIC}/skill_${the(decoy).id}/versions/skver_${the(diary).version}/content`),
    404,
  ],
  [
    "one's own version under another's skill",
    () => get(`${ANTHROPIC}/skill_${the(diary).id}/versions/skver_${the(decoy).version}`),
    404,
  ],
  ["the gateway's own id at a vendor's", () => get(`${ANTHROPIC}/skl_${the(decoy).id}`), 404],
  ["a number that is none", () => get(`${OPENAI}/skill_${the(decoy).id}/versions/1e0/content`), 404],
  [
    "a number of nothing",
    () => ask("POST", `${OPENAI}/skill_${the(decoy).id}`, { json: { default_version: "0" } }),
    404,
  ],
  [
    "the content of a yanked version",
    () => get(`${ANTHROPIC}/skill_${the(decoy).id}/versions/skver_${yanked}/content`),
    404,
  ],
  ["a label that pretends to be a number", () => get(`${CLAW}/decoy/versions/0.0.9`), 404],
  [
    "a verdict by who is no admin",
    () =>
      ask("PUT", `${SKILLS}/skl_${the(decoy).id}/versions/ver_${the(decoy).version}/verdict`, {
        json: { blocked: true, reason: "x" },
      }),
    403,
  ],
  // Addresses that imports must not request.
  ["an import from a private host", () => from("https://10.0.0.1/"), "400 SOURCE_REFUSED"],
  ["… from a cloud's metadata", () => from("https://169.254.169.254/latest/meta-data/"), "400 SOURCE_REFUSED"],
  ["… from a name inside", () => from("https://metadata.google.internal/"), "400 SOURCE_REFUSED"],
  ["… from the gateway itself", () => from("https://gateway.test/s/public"), "400 SOURCE_REFUSED"],
  ["… with a password in its address", () => from("https://user:password@skills.dev/"), "400 SOURCE_REFUSED"],
  [
    "… by a redirect",
    () => {
      site.says(INDEX, () => new Response(null, { status: 302, headers: { location: "https://10.0.0.1/" } }));
      return from(site.origin);
    },
    "SOURCE_REFUSED",
  ],
  [
    "an entry on another host",
    () => entry(flatZip({ name: "bad" }), { url: "https://10.0.0.1/x.zip" }),
    "SOURCE_OTHER_HOST",
  ],
  // The owner of the secret that a source receives: the owner of the imported skills.
  [
    "one's own secret for a group's import",
    () => brought({ type: "index", url: site.origin, secret: "OWN" }, { namespace: "abuse-mine" }),
    "SECRET_UNUSABLE",
  ],
  [
    "a group's secret for one's own import",
    () => brought({ type: "index", url: site.origin, secret: "OF_GROUP" }),
    "SECRET_UNUSABLE",
  ],
  // Bombs in streams.
  ["a bomb", async () => entry(await packed({ path: "SKILL.md", text: new Uint8Array(40 << 20) })), "SOURCE_TOO_LARGE"],
  ["an archive without an end", () => entry(endless), "SOURCE_TOO_LARGE"],
  [
    "an archive with a link",
    async () => entry(await packed({ path: "SKILL.md", text: "x" }, { path: "l", type: "2" })),
    "ARCHIVE_LINK",
  ],
  [
    "an archive that climbs",
    async () => entry(await packed({ path: "SKILL.md", text: "x" }, { path: "../../x", text: "x" })),
    "PACKAGE_INVALID",
  ],
  [
    "another archive than was promised",
    () => entry(flatZip({ name: "bad" }), { digest: `sha256:${"0".repeat(64)}` }),
    "DIGEST_MISMATCH",
  ],
  ["a skill under another name", () => entry(skillZip({ name: "other" })), "NAME_MISMATCH"],
  // Mirrors whose source becomes malicious.
  [
    "a mirror by who is no admin",
    () => brought({ type: "index", url: site.origin }, { mirror: true }),
    "403 ADMIN_ONLY",
  ],
  [
    "an import to everybody by who is no admin",
    () => brought({ type: "index", url: site.origin }, { namespace: "public" }),
    "403 ADMIN_ONLY",
  ],
  [
    "a mirror that brings a yanked version again",
    () =>
      mirrored("pulled", async () => {
        await site.index([{ name: "pulled", body: "Other." }]);
        await over(adminKey, await beginIndex(adminKey, site));
        await site.index([{ name: "pulled" }]);
      }),
    "VERSION_YANKED",
  ],
  [
    "a mirror that takes a name of another source's",
    async () => {
      await publishOwn(adminKey, { name: "theirs" });
      return mirrored("quiet", () => site.index([{ name: "quiet" }, { name: "theirs" }])).then(async () => {
        await site.index([{ name: "theirs", body: "Evil." }]);
        return brought({ type: "index", url: site.origin }, {}, adminKey);
      });
    },
    "NAME_TAKEN",
  ],
  [
    "a mirror that has gone",
    () => mirrored("gone", async () => site.says(INDEX, () => new Response("no", { status: 410 }))),
    "SOURCE_ABSENT",
  ],
  ["another's import", () => get(`${IMPORTS}/${importId}`), 404],
  ["ending another's import", () => ask("POST", `${IMPORTS}/${importId}/cancel`), 404],
  ["forgetting another's import", () => ask("DELETE", `${IMPORTS}/${importId}`), 404],
];

describe(`${ABUSES.length} abuses of integrations and imports`, () => {
  it.each(ABUSES)("%s", async (_, attempt, outcome) => {
    expect(await attempt()).toBe(outcome);
    for (const [url] of vi.mocked(fetch).mock.calls) asked.add(new URL(String(url)).origin);
  });

  it("have shown nothing of other users, sent no request to other hosts, and changed nothing", async () => {
    expect(ABUSES.length).toBeGreaterThanOrEqual(30);
    expect(told.join("\n")).not.toContain(HIDDEN);
    expect([await names(adaKey), await names(malKey)]).toEqual([["diary"], ["decoy"]]);
    expect((await call("GET", `${adaLink}${INDEX}`, { key: null })).status).toBe(200);
    expect([...asked]).toEqual([site.origin]);
    // Its owner can read it.
    const own = await call("GET", `/s/own/.well-known/agent-skills/-/diary/${the(diary).archive}.zip`, { key: adaKey });
    expect(own.status).toBe(200);
  });
});
