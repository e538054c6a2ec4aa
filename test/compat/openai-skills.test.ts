// OpenAI's Skills API: its format, a default version that differs from the newest, pages, and access.

import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishPublic } from "../support/chat-turns";
import { skillZip } from "../support/skill";
import { filesForm, vendorApi } from "../support/vendor-skills";

const PATH = "/openai/v1/skills";
interface Skill {
  id: string;
  default_version: string;
  latest_version: string;
}
interface Page {
  data: { id: string; name: string; version: string }[];
  has_more: boolean;
  last_id: string | null;
}

let key: string;
let api: ReturnType<typeof vendorApi>;
beforeAll(async () => {
  key = await keyFor("openai-ada");
  api = vendorApi(PATH, key);
});

const create = async (name: string) => {
  const made = await api<Skill>("POST", "", { body: filesForm({ name, body: "One." }) });
  expect([made.status, made.body]).toMatchObject([200, { object: "skill" }]);
  return made.body.id;
};
const add = (id: string, name: string, body: string, fields: Record<string, string> = {}) =>
  api<{ id: string; version: string }>("POST", `/${id}/versions`, { body: filesForm({ name, body }, fields) });
const refusal = (status: number, type: string, code: string) => ({
  ...{ status, body: { error: { type, code, param: null, message: expect.any(String) } } },
});
const versionsOf = async (id: string) => {
  const { default_version, latest_version } = (await api<Skill>("GET", `/${id}`)).body;
  return [default_version, latest_version];
};
const textOf = async (path: string) => {
  const zip = await call("GET", `${PATH}${path}`, { key });
  const [file] = Object.entries(unzipSync(new Uint8Array(await zip.arrayBuffer())));
  return new TextDecoder().decode(file?.[1]);
};

describe("a skill in OpenAI's shapes", () => {
  it("is created from a form's files or from one ZIP, and returned in the vendor's format", async () => {
    const made = await api<Skill>("POST", "", { body: filesForm({ name: "ledger", description: "Keeps books." }) });
    const { id } = made.body;
    expect(made).toMatchObject({ status: 200 });
    expect(made.body).toEqual({
      ...{ id: expect.stringMatching(/^skill_[0-9A-Z]{26}$/), object: "skill", created_at: expect.any(Number) },
      ...{ name: "ledger", description: "Keeps books.", default_version: "1", latest_version: "1" },
    });
    expect((await api("GET", `/${id}`)).body).toEqual(made.body);
    expect((await api("GET", `/${id}/versions/1`)).body).toEqual({
      ...{ id: expect.stringMatching(/^skver_/), object: "skill.version", skill_id: id, version: "1" },
      ...{ name: "ledger", description: "Keeps books.", created_at: expect.any(Number) },
    });
    const zipped = new FormData();
    zipped.append("files", new File([skillZip({ name: "zipped" })], "anything.zip"));
    expect(await api("POST", "", { body: zipped })).toMatchObject({ status: 200, body: { name: "zipped" } });
  });

  it("keeps its default version unless a new one asks to be it", async () => {
    const id = await create("moving");
    expect((await add(id, "moving", "Two.")).body).toMatchObject({ object: "skill.version", version: "2" });
    expect(await versionsOf(id)).toEqual(["1", "2"]);
    expect(await textOf(`/${id}/content`)).toContain("One.");
    expect(await textOf(`/${id}/versions/2/content`)).toContain("Two.");
    // Searches and lists contain only the default version.
    const found = await call("GET", "/api/v1/kinds/skills?name=moving", { key });
    expect(await found.json()).toMatchObject({ items: [{ status: { version_number: 1 } }] });
    await add(id, "moving", "Three.", { default: "true" });
    expect(await versionsOf(id)).toEqual(["3", "3"]);
    const updated = await api<Skill>("POST", `/${id}`, { json: { default_version: "2" } });
    expect([updated.status, updated.body.default_version, updated.body.latest_version]).toEqual([200, "2", "3"]);
    expect(await textOf(`/${id}/content`)).toContain("Two.");
    // Uploading the same content returns the same version.
    expect((await add(id, "moving", "One.")).body.version).toBe("1");
    expect(await versionsOf(id)).toEqual(["2", "3"]);
    await add(id, "moving", "One.", { default: "true" });
    expect(await versionsOf(id)).toEqual(["1", "3"]);
  });

  it("does not lose its default, and no number comes twice", async () => {
    const id = await create("numbered");
    await add(id, "numbered", "Two.");
    expect(await api("DELETE", `/${id}/versions/1`)).toMatchObject(
      refusal(400, "invalid_request_error", "default_version"),
    );
    const gone = await api("DELETE", `/${id}/versions/2`);
    expect(gone.body).toEqual({
      ...{ id: expect.stringMatching(/^skver_/), object: "skill.version.deleted", version: "2", deleted: true },
    });
    expect((await api("GET", `/${id}/versions/2`)).status).toBe(404);
    expect(await api("POST", `/${id}`, { json: { default_version: "2" } })).toMatchObject({ status: 404 });
    expect(await versionsOf(id)).toEqual(["1", "1"]);
    expect((await add(id, "numbered", "Three.")).body.version).toBe("3");
    expect((await api("DELETE", `/${id}`)).body).toEqual({ id, object: "skill.deleted", deleted: true });
    expect(await api("GET", `/${id}`)).toMatchObject(refusal(404, "invalid_request_error", "skill_not_found"));
  });

  it("is listed in order of time, both ways, a page at a time", async () => {
    const own = vendorApi(PATH, await keyFor("openai-lister"));
    const made: string[] = [];
    for (const name of ["b", "c", "a"]) {
      made.push((await own<Skill>("POST", "", { body: filesForm({ name }) })).body.id);
    }
    const ids = (page: Page) => page.data.map(({ id }) => id);
    const first = (await own<Page>("GET", "?limit=2")).body;
    expect([ids(first), first.has_more, first.last_id]).toEqual([[made[2], made[1]], true, made[1]]);
    expect(first).toMatchObject({ object: "list", first_id: made[2] });
    const rest = (await own<Page>("GET", `?limit=2&after=${first.last_id}`)).body;
    expect([ids(rest), rest.has_more]).toEqual([[made[0]], false]);
    expect(ids((await own<Page>("GET", "?order=asc")).body)).toEqual(made);

    const [id] = made;
    for (const body of ["Two.", "Three."])
      await own("POST", `/${id}/versions`, { body: filesForm({ name: "b", body }) });
    const numbers = (page: Page) => page.data.map(({ version }) => version);
    const newest = (await own<Page>("GET", `/${id}/versions?limit=1`)).body;
    expect([numbers(newest), newest.has_more]).toEqual([["3"], true]);
    const older = (await own<Page>("GET", `/${id}/versions?after=${newest.last_id}`)).body;
    expect(numbers(older)).toEqual(["2", "1"]);
    expect(numbers((await own<Page>("GET", `/${id}/versions?order=asc`)).body)).toEqual(["1", "2", "3"]);
  });
});

describe("what is refused", () => {
  it("an existing name, with its id, and invalid forms and queries", async () => {
    const id = await create("taken");
    const again = await api("POST", "", { body: filesForm({ name: "taken", body: "Two." }) });
    expect(again).toMatchObject(refusal(409, "invalid_request_error", "skill_exists"));
    expect(JSON.stringify(again.body)).toContain(id);
    const other = await api<Page>("GET", `/${await create("other")}/versions`);
    const version = other.body.data[0]!.id;
    for (const [method, path, more] of [
      ["POST", "", { json: {} }],
      ["POST", "", { body: filesForm({ name: "x" }, { default: "true" }) }],
      ["POST", `/${id}/versions`, { body: filesForm({ name: "taken" }, { default: "yes" }) }],
      ["POST", `/${id}`, { json: { default_version: 1 } }],
      ["POST", `/${id}`, { json: { default_version: "1", more: true } }],
      ["GET", "?order=up", {}],
      ["GET", "?after=skl_1", {}],
      ["GET", `/${id}/versions?after=${version}`, {}],
      ["GET", `/${id}/versions?after=${id}`, {}],
    ] as const)
      expect([path, await api(method, path, more)]).toMatchObject([path, { status: 400 }]);
  });

  it("another user's skill, invalid ids and versions, and another kind of key", async () => {
    const id = await create("adas-own");
    const bob = vendorApi(PATH, await keyFor("openai-bob"));
    for (const path of [
      `/${id}`,
      `/${id}/content`,
      `/${id}/versions`,
      `/${id}/versions/1`,
      `/${id}/versions/1/content`,
    ])
      expect([path, (await bob("GET", path)).status]).toEqual([path, 404]);
    expect((await bob("DELETE", `/${id}`)).status).toBe(404);
    expect((await bob("POST", `/${id}`, { json: { default_version: "1" } })).status).toBe(404);
    for (const version of ["0", "2", "01", "-1", "1.0", "latest", "9".repeat(30), "skver_1"])
      expect([version, (await api("GET", `/${id}/versions/${version}`)).status]).toEqual([version, 404]);
    const shared = await publishPublic({ name: "openai-public" });
    const known = shared.id.replace("skl_", "skill_");
    expect((await bob("GET", `/${known}`)).status).toBe(200);
    expect((await bob("GET")).body).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null });
    expect(await bob("DELETE", `/${known}`)).toMatchObject(refusal(403, "permission_error", "read_only"));
    const chat = vendorApi(PATH, await keyFor("openai-ada", { scopes: ["chat"] }));
    expect(await chat("GET")).toMatchObject(refusal(403, "permission_error", "scope_missing"));
    expect(await vendorApi(PATH, null)("GET")).toMatchObject({
      ...{ status: 401, body: { error: { type: "authentication_error" } } },
    });
    expect(await api("PUT", `/${id}`, { json: {} })).toMatchObject({ status: 404, body: { error: {} } });
  });

  it("a Reporter, and a Developer who changes the default version", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "openai-crew" } });
    for (const [user, role] of [
      ["openai-dev", "Developer"],
      ["openai-main", "Maintainer"],
      ["openai-rep", "Reporter"],
    ])
      await call("PUT", `/api/v1/groups/openai-crew/members/${user}`, { json: { role } });
    const at = async (user: string) => vendorApi(`/s/group/openai-crew${PATH}`, await keyFor(user));
    const [dev, main, rep] = [await at("openai-dev"), await at("openai-main"), await at("openai-rep")];
    const { id } = (await dev<Skill>("POST", "", { body: filesForm({ name: "crews" }) })).body;
    const more = { body: filesForm({ name: "crews", body: "Two." }, { default: "true" }) };
    expect((await dev("POST", `/${id}/versions`, more)).status).toBe(200);
    expect(await rep("POST", `/${id}/versions`, more)).toMatchObject({ status: 403 });
    expect(await dev("POST", `/${id}`, { json: { default_version: "1" } })).toMatchObject({ status: 403 });
    expect(await main("POST", `/${id}`, { json: { default_version: "1" } })).toMatchObject({
      ...{ status: 200, body: { default_version: "1", latest_version: "2" } },
    });
    expect((await rep<Page>("GET")).body.data).toMatchObject([{ id }]);
    const outside = await at("openai-bob");
    expect(await outside("GET")).toMatchObject({ status: 404, body: { error: { type: "invalid_request_error" } } });
  });
});
