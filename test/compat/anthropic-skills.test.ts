// Anthropic's Skills API: both generations of its format, versions, deletion, access, and errors.

import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { skillZip } from "../support/skill";
import { BETA, filesForm, vendorApi } from "../support/vendor-skills";

const PATH = "/anthropic/v1/skills";
interface Skill {
  id: string;
  latest_version_id: string;
  latest_version: string | null;
  display_name: string;
  display_title: string | null;
}
interface Page {
  data: { id: string; name: string; version: string; display_name: string }[];
  next_page: string | null;
}
interface Refusal {
  type: string;
  error: { type: string; message: string; details: Record<string, unknown> };
  request_id: string;
}

let key: string;
let ga: ReturnType<typeof vendorApi>;
let beta: ReturnType<typeof vendorApi>;
beforeAll(async () => {
  key = await keyFor("anthropic-ada");
  ga = vendorApi(PATH, key);
  beta = vendorApi(PATH, key, BETA);
});

const create = async (name: string, body = "One.", fields: Record<string, string> = {}) => {
  const made = await ga<Skill>("POST", "", { body: filesForm({ name, body }, fields) });
  expect([made.status, made.body]).toMatchObject([200, { type: "skill" }]);
  return made.body;
};
const add = (id: string, name: string, body: string) =>
  ga<{ id: string }>("POST", `/${id}/versions`, { body: filesForm({ name, body }) });
const refusal = (status: number, type: string, code: string) => ({
  status,
  body: { type: "error", error: { type, details: { error_code: code } }, request_id: expect.any(String) },
});

describe("a skill in the shapes of general availability", () => {
  it("is created from a form's files, returned, listed and downloaded as a folder", async () => {
    const files = { "scripts/run.py": "print(1)\n", "notes/ü.md": "Ü" };
    const body = filesForm({ name: "ledger", description: "Keeps books.", files }, { display_name: "The Ledger" });
    const made = await ga<Skill>("POST", "", { body });
    const { id } = made.body;
    expect(made).toMatchObject({
      status: 200,
      body: {
        ...{ type: "skill", id: expect.stringMatching(/^skill_[0-9A-Z]{26}$/), display_name: "The Ledger" },
        ...{ latest_version_id: expect.stringMatching(/^skver_[0-9A-Z]{26}$/), source: { type: "custom" } },
        ...{ created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) },
      },
    });
    expect(made.headers.get("request-id")).toBe(made.headers.get("x-request-id"));
    expect((await ga("GET", `/${id}`)).body).toEqual(made.body);
    expect((await ga<Page>("GET", "?source=custom")).body.data).toEqual([made.body]);
    const version = await ga("GET", `/${id}/versions/latest`);
    expect(version.body).toEqual({
      ...{ type: "skill_version", id: made.body.latest_version_id, skill_id: id, name: "ledger" },
      ...{ description: "Keeps books.", created_at: expect.stringMatching(/Z$/) },
    });
    const zip = await call("GET", `${PATH}/${id}/versions/latest/content`, { key });
    expect(zip.headers.get("content-type")).toBe("application/zip");
    const unpacked = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    expect(Object.keys(unpacked)).toEqual(["ledger/SKILL.md", "ledger/notes/ü.md", "ledger/scripts/run.py"]);
    // The registry has the same skill: ids differ in their prefix only.
    const ours = await call("GET", `/api/v1/kinds/skills/${id.replace("skill_", "skl_")}`, { key });
    expect(await ours.json()).toMatchObject({ metadata: { name: "ledger", namespace: "default" } });
  });

  it("is called as SKILL.md says, and as its folder where that says nothing", async () => {
    const written = await ga<Skill>("POST", "", { body: filesForm({ name: "written", folder: "my-upload" }) });
    expect((await ga("GET", `/${written.body.id}/versions/latest`)).body).toMatchObject({ name: "written" });
    const body = new FormData();
    body.append("files[]", new File(["---\ndescription: D.\n---\n\nDo.\n"], "in-folder/SKILL.md"));
    const placed = await ga<Skill>("POST", "", { body });
    expect(placed.body).toMatchObject({ display_name: "in-folder" });
  });

  it("may come as one ZIP", async () => {
    const body = new FormData();
    body.append("files[]", new File([skillZip({ name: "zipped" })], "zipped.zip"));
    expect(await ga("POST", "", { body })).toMatchObject({ status: 200, body: { display_name: "zipped" } });
  });

  it("has versions, the newest first; a deleted one is gone, and the last one stays", async () => {
    const { id, latest_version_id: first } = await create("moving");
    const second = (await add(id, "moving", "Two.")).body.id;
    const third = (await add(id, "moving", "Three.")).body.id;
    const page = await ga<Page>("GET", `/${id}/versions?limit=2`);
    expect(page.body.data.map((version) => version.id)).toEqual([third, second]);
    const rest = await ga<Page>("GET", `/${id}/versions?limit=2&page=${page.body.next_page}`);
    expect([rest.body.data.map((version) => version.id), rest.body.next_page]).toEqual([[first], null]);

    const gone = await ga("DELETE", `/${id}/versions/${third}`);
    expect(gone).toMatchObject({ status: 200, body: { id: third, type: "skill_version_deleted" } });
    expect((await ga<Skill>("GET", `/${id}`)).body.latest_version_id).toBe(second);
    expect(await ga("GET", `/${id}/versions/${third}`)).toMatchObject(
      refusal(404, "not_found_error", "version_not_found"),
    );
    expect((await ga("DELETE", `/${id}/versions/${first}`)).status).toBe(200);
    const last = await ga("DELETE", `/${id}/versions/${second}`);
    expect(last).toMatchObject(refusal(409, "conflict_error", "last_version"));
    expect(last.headers.get("x-should-retry")).toBe("false");
    expect((await ga("DELETE", `/${id}`)).body).toEqual({ id, type: "skill_deleted" });
    expect((await ga("GET", `/${id}`)).status).toBe(404);
  });

  it("goes back to an older version whose content comes again", async () => {
    const { id, latest_version_id: first } = await create("again");
    await add(id, "again", "Two.");
    expect((await add(id, "again", "One.")).body.id).toBe(first);
    expect((await ga<Skill>("GET", `/${id}`)).body.latest_version_id).toBe(first);
  });
});

describe("a skill in the shapes of the beta", () => {
  it("calls versions by microseconds, and has to be emptied before it is deleted", async () => {
    const made = await beta<Skill>("POST", "", { body: filesForm({ name: "older" }, { display_title: "Older" }) });
    const { id, latest_version } = made.body;
    expect(made.body).toEqual({
      ...{ id, type: "skill", display_title: "Older", latest_version: expect.stringMatching(/^\d{16}$/) },
      ...{ source: "custom", created_at: expect.any(String), updated_at: expect.any(String) },
    });
    const micros = latest_version ?? "";
    expect(Math.abs(Number(micros) / 1_000 - Date.now())).toBeLessThan(60_000);
    expect((await beta("GET", `/${id}/versions/${micros}`)).body).toEqual({
      ...{ type: "skill_version", id: expect.stringMatching(/^skillver_/), skill_id: id, version: micros },
      ...{ name: "older", directory: "older", description: expect.any(String), created_at: expect.any(String) },
    });
    const later = await beta<{ version: string }>("POST", `/${id}/versions`, {
      body: filesForm({ name: "older", body: "Two." }),
    });
    expect(Number(later.body.version)).toBeGreaterThan(Number(micros));
    expect(await beta("DELETE", `/${id}`)).toMatchObject(refusal(400, "invalid_request_error", "skill_has_versions"));
    for (const version of [later.body.version, micros]) {
      const gone = await beta("DELETE", `/${id}/versions/${version}`);
      expect(gone.body).toEqual({ id: version, type: "skill_version_deleted" });
    }
    expect((await beta<Skill>("GET", `/${id}`)).body.latest_version).toBeNull();
    expect((await beta("DELETE", `/${id}`)).body).toEqual({ id, type: "skill_deleted" });
  });
});

describe("what is refused", () => {
  it("a name that is taken, with the id of the skill that has it", async () => {
    const { id } = await create("taken");
    const again = await ga<Refusal>("POST", "", { body: filesForm({ name: "taken", body: "Two." }) });
    expect(again).toMatchObject(refusal(409, "conflict_error", "skill_exists"));
    expect(again.body.error.message).toContain(id);
    expect(again.body.error.details.skill_id).toBe(id);
    expect((await ga<Page>("GET", `/${id}/versions`)).body.data).toHaveLength(1);
  });

  it("a version of another skill, a form without files, fields that mean nothing, and no form at all", async () => {
    const { id } = await create("itself");
    expect(await add(id, "another", "Two.")).toMatchObject(refusal(400, "invalid_request_error", "name_mismatch"));
    const bodies: [FormData | undefined, string][] = [
      [filesForm({ name: "x" }, { version: "1" }), "UNKNOWN_FIELD"],
      [filesForm({ name: "x" }, { display_name: "two\nlines" }), "INVALID_FIELD"],
      [filesForm({ name: "x" }, { display_name: "x".repeat(256) }), "INVALID_FIELD"],
      [undefined, "INVALID_BODY"],
    ];
    const empty = new FormData();
    empty.append("display_name", "X");
    bodies.push([empty, "FILES_MISSING"]);
    for (const [body, code] of bodies) {
      const answer = await ga<Refusal>("POST", "", body === undefined ? { json: {} } : { body });
      expect(answer).toMatchObject(refusal(400, "invalid_request_error", "invalid_request"));
      expect(answer.body.error.details.issues).toMatchObject([{ code }]);
    }
  });

  it("files that leave their folder, lie beside it, collide, or are no skill: all that is wrong at once", async () => {
    const body = new FormData();
    const text = "---\nname: bad\ndescription: D.\n---\n";
    for (const path of ["bad/SKILL.md", "../x", "/etc/passwd", "bad/a\\b", "beside.txt", "bad/A.md", "bad/a.md"])
      body.append("files[]", new File([text], path));
    const answer = await ga<Refusal>("POST", "", { body });
    expect(answer).toMatchObject(refusal(400, "invalid_request_error", "package_invalid"));
    const issues = answer.body.error.details.issues as { code: string }[];
    expect(new Set(issues.map(({ code }) => code))).toEqual(
      new Set(["PATH_DOT_SEGMENT", "PATH_ABSOLUTE", "PATH_BACKSLASH", "FILE_OUTSIDE_SKILL", "PATH_DUPLICATE"]),
    );
  });

  it("too large uploads, and invalid cursors and queries", async () => {
    const body = new FormData();
    body.append("files[]", new File([new Uint8Array(18 * 1_048_576)], "big/SKILL.md"));
    expect(await ga("POST", "", { body })).toMatchObject({
      ...{ status: 413, body: { error: { type: "request_too_large" } } },
    });
    for (const query of ["?limit=0", "?limit=101", "?limit=x", "?page=nonsense", "?source=plugin"])
      expect([query, (await ga("GET", query)).status]).toEqual([query, 400]);
  });

  it("requests without a key or with another kind of key, in the vendor's format", async () => {
    const nobody = await vendorApi(PATH, null)("GET");
    expect(nobody).toMatchObject({ status: 401, body: { type: "error", error: { type: "authentication_error" } } });
    const chat = vendorApi(PATH, await keyFor("anthropic-ada", { scopes: ["chat"] }));
    expect(await chat("GET")).toMatchObject(refusal(403, "permission_error", "scope_missing"));
    const reader = vendorApi(PATH, await keyFor("anthropic-ada", { scopes: ["skills:read"] }));
    expect((await reader("GET")).status).toBe(200);
    expect(await reader("POST", "", { body: filesForm({ name: "read-only" }) })).toMatchObject(
      refusal(403, "permission_error", "scope_missing"),
    );
    const writer = await keyFor("anthropic-ada", { scopes: ["skills:write"] });
    const both = await call("POST", PATH, {
      ...{ key: null, headers: { "x-api-key": writer }, body: filesForm({ name: "by-x-api-key" }) },
    });
    expect(both.status).toBe(200);
    // The chat endpoint next to it belongs to another scope.
    expect((await call("POST", "/anthropic/v1/messages", { key: writer, json: {} })).status).toBe(403);
  });
});

describe("visible skills", () => {
  it("are own ones, and public ones for reading; another user's are not found", async () => {
    const bob = vendorApi(PATH, await keyFor("anthropic-bob"));
    const { id, latest_version_id } = await create("adas-own");
    const shared = await publishPublic({ name: "anthropic-public" });
    const known = shared.id.replace("skl_", "skill_");
    expect((await bob<Page>("GET")).body.data).toEqual([]);
    for (const path of [`/${id}`, `/${id}/versions`, `/${id}/versions/latest`, `/${id}/versions/latest/content`])
      expect([path, (await bob("GET", path)).status]).toEqual([path, 404]);
    for (const [method, path] of [
      ["DELETE", `/${id}`],
      ["DELETE", `/${id}/versions/${latest_version_id}`],
    ] as const)
      expect((await bob(method, path)).status).toBe(404);
    expect((await bob("POST", `/${id}/versions`, { body: filesForm({ name: "adas-own" }) })).status).toBe(404);

    const list = await bob<Page>("GET", "?source=anthropic");
    expect(list.body.data).toMatchObject([{ id: known, source: { type: "anthropic" } }]);
    expect((await bob("GET", `/${known}/versions/latest`)).status).toBe(200);
    for (const user of [
      bob,
      vendorApi(PATH, null, { authorization: `Bearer ${await keyFor("root", { role: "admin" })}` }),
    ])
      expect(await user("DELETE", `/${known}`)).toMatchObject(refusal(403, "permission_error", "read_only"));
  });

  it("ids with another prefix, of another scope's version, or invalid ones", async () => {
    const mine = await create("mine");
    const other = await create("other");
    const bare = mine.id.slice("skill_".length);
    for (const id of [`skl_${bare}`, bare, `ver_${bare}`, `skver_${bare}`, "skill_", "skill_%00", `skill_${bare}%2F..`])
      expect([id, (await ga("GET", `/${id}`)).status]).toEqual([id, 404]);
    const ours = mine.latest_version_id.replace("skver_", "ver_");
    for (const version of [other.latest_version_id, ours, "0", "1", "newest", "9999999999999999", "1.0.0"])
      expect([version, (await ga("GET", `/${mine.id}/versions/${version}`)).status]).toEqual([version, 404]);
  });

  it("a page with another user's cursor shows own skills", async () => {
    const cy = vendorApi(PATH, await keyFor("anthropic-cy"));
    for (const name of ["c-one", "c-three", "c-two"]) await cy("POST", "", { body: filesForm({ name }) });
    const first = await cy<Page>("GET", "?limit=1");
    expect(first.body.data).toMatchObject([{ display_name: "c-one" }]);
    const dan = vendorApi(PATH, await keyFor("anthropic-dan"));
    await dan("POST", "", { body: filesForm({ name: "d-only" }) });
    const rest = await dan<Page>("GET", `?page=${first.body.next_page}`);
    expect(rest.body.data).toMatchObject([{ display_name: "d-only" }]);
    expect((await cy<Page>("GET", `?page=${first.body.next_page}`)).body.data).toHaveLength(2);
  });

  it("a group's skills by role, below the group's URL only", async () => {
    for (const name of ["anthropic-crew", "anthropic"]) await call("POST", "/api/v1/groups", { json: { name } });
    for (const [user, role] of [
      ["anthropic-dev", "Developer"],
      ["anthropic-main", "Maintainer"],
      ["anthropic-rep", "Reporter"],
    ])
      await call("PUT", `/api/v1/groups/anthropic-crew/members/${user}`, { json: { role } });
    const at = async (user: string, group = "anthropic-crew") =>
      vendorApi(`/s/group/${group}${PATH}`, await keyFor(user));
    const [dev, main, rep] = [await at("anthropic-dev"), await at("anthropic-main"), await at("anthropic-rep")];
    const made = await dev<Skill>("POST", "", { body: filesForm({ name: "crews" }) });
    expect(made.status).toBe(200);
    const { id, latest_version_id } = made.body;
    expect((await rep<Page>("GET")).body.data).toMatchObject([{ id }]);
    expect(await rep("POST", "", { body: filesForm({ name: "reps" }) })).toMatchObject({ status: 403 });
    await dev("POST", `/${id}/versions`, { body: filesForm({ name: "crews", body: "Two." }) });
    const version = `/${id}/versions/${latest_version_id}`;
    expect(await dev("DELETE", version)).toMatchObject({ status: 403, body: { error: { type: "permission_error" } } });
    expect((await main("DELETE", version)).status).toBe(200);
    // The skill belongs to the group and not to the member, so the member's own scope does not contain it.
    expect((await vendorApi(PATH, await keyFor("anthropic-dev"))("GET", `/${id}`)).status).toBe(404);
    expect((await (await at("anthropic-dev", "anthropic"))("GET")).status).toBe(404);
    expect((await (await at("anthropic-dev", "anthropic-crew%2F.."))("GET")).status).toBe(404);
    expect((await (await at("anthropic-bob"))("GET", `/${id}`)).body).toMatchObject({ type: "error" });
    expect(await vendorApi(`/s/group/anthropic-crew${PATH}`, null)("GET")).toMatchObject({
      ...{ status: 401, body: { type: "error", error: { type: "authentication_error" } } },
    });
    const keyed = await call("GET", `/s/group/anthropic-crew${PATH}`, {
      ...{ key: null, headers: { "x-api-key": await keyFor("anthropic-rep") } },
    });
    expect(keyed.status).toBe(200);
    const own = await publishOwn(await keyFor("anthropic-dev"), { name: "devs-own" });
    expect((await dev("GET", `/${own.id.replace("skl_", "skill_")}`)).status).toBe(404);
  });
});
