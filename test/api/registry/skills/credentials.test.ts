// Literal credentials in a package's servers: rejected if others would see them, and hidden from others in stored versions.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, talk } from "../../../support/chat-turns";
import { hostWith } from "../../../support/mcp-client";
import { seedSkill } from "../../../support/registry";
import { form, skillZip } from "../../../support/skill";
import { problemOf, SKILLS, upload } from "./published";

const PLANTED = "ghp_PlantedPlantedPlanted0123456789";
const SERVERS = `mcpServers:
  weather:
    url: https://weather.example/mcp
    headers:
      Authorization: Bearer ${PLANTED}`;
const skill = (name: string, frontmatter = SERVERS) => ({ name, frontmatter });

let ada: string;
let outsider: string;
beforeAll(async () => {
  ada = await keyFor("cred-ada");
  outsider = await keyFor("cred-reporter");
  await call("POST", "/api/v1/groups", { json: { name: "cred-team" } });
  for (const [user, role] of [
    ["cred-ada", "Owner"],
    ["cred-reporter", "Reporter"],
  ])
    await call("PUT", `/api/v1/groups/cred-team/members/${user}`, { json: { role } });
});

describe("publishing a literal credential", () => {
  it.each([
    ["a group", () => upload(skill("cred-refused"), { key: ada }, { namespace: "cred-team" })],
    ["everybody", () => call("POST", `${SKILLS}/public`, { body: form(skillZip(skill("cred-refused"))) })],
  ])("to %s is refused, with the line and what to write", async (_, publish) => {
    const answer = await publish();
    const refused = await problemOf(answer);
    expect(refused).toMatchObject({
      status: 422,
      code: "CREDENTIAL_LITERAL",
      issues: [{ code: "CREDENTIAL_LITERAL", path: "SKILL.md", line: 8 }],
    });
    expect(JSON.stringify(refused)).toContain(`\${{secrets.WEATHER_TOKEN}}`);
    expect(JSON.stringify(refused)).not.toContain(PLANTED);
  });

  it("to oneself is a warning, and sharing it is judged again", async () => {
    const { id, warnings } = await publishOwn(ada, skill("cred-own"));
    expect(warnings).toMatchObject([{ code: "CREDENTIAL_LITERAL", line: 8 }]);
    // Owners can always read their own skill.
    expect(JSON.stringify(await (await call("GET", `${SKILLS}/${id}`, { key: ada })).json())).toContain(PLANTED);
    const share = call("POST", `${SKILLS}/${id}/share`, { key: ada, json: { group_name: "cred-team" } });
    expect(await problemOf(share)).toMatchObject({ status: 422, code: "CREDENTIAL_LITERAL" });
    const update = { key: ada, body: form(skillZip(skill("cred-own", "tags: [a]"))) };
    expect((await call("PUT", `${SKILLS}/${id}`, update)).status).toBe(200);
    expect((await call("POST", `${SKILLS}/${id}/share`, { key: ada, json: { group_name: "cred-team" } })).status).toBe(
      201,
    );
  });

  it.each([
    ["an alias", `token: &it Bearer ${PLANTED}\nmcpServers: {w: {url: "https://w.example", headers: {X-A: *it}}}`],
    ["servers nested twice", `mcpServers: {mcpServers: {w: {url: "https://w.example/?key=${PLANTED}"}}}`],
    ["base64", `mcpServers: {w: {url: "https://w.example", headers: {X-A: ${btoa(`Bearer ${PLANTED}`)}}}}`],
    ["an entry that is no mapping", `mcpServers: {w: ${PLANTED}}`],
  ])("by way of %s is refused too", async (_, frontmatter) => {
    const answer = upload(skill("cred-hidden", frontmatter), { key: ada }, { namespace: "cred-team" });
    expect(await problemOf(answer)).toMatchObject({ status: 422, code: "CREDENTIAL_LITERAL" });
  });
});

describe("a version from before that was refused", () => {
  const mcpServers = {
    weather: { url: "https://weather.example/mcp", headers: { Authorization: `Bearer ${PLANTED}` } },
  };

  /** Returns everything that a caller can read of a skill. */
  async function everythingOf(
    { id, versionId }: { id: string; versionId: string },
    name: string,
    key: string,
  ): Promise<{ text: string; statuses: number[] }> {
    const paths = [`/${id}`, `?name=${name}`, "?namespace=cred-team", "/unified", "/public/list", `/${id}/versions`];
    paths.push(`/${id}/versions/${versionId}/permissions`);
    const files = [`/${id}/download`, `/${id}/files`, `/${id}/files/SKILL.md`, `/${id}/files/notes.md`];
    const version = `/${id}/versions/${versionId}/files`;
    files.push(version, `${version}/SKILL.md`);
    const answers = await Promise.all([...paths, ...files].map((path) => call("GET", SKILLS + path, { key })));
    const texts = await Promise.all(
      answers.map(async (answer) => new TextDecoder().decode(await answer.arrayBuffer())),
    );
    const chat = await talk({ key });
    const read = [];
    for (const file_path of [undefined, "SKILL.md", "notes.md"])
      read.push(await chat.use("read_skill", { skill_name: name, file_path }));
    await chat.load(name);
    read.push(await (await call("GET", chat.route, { key })).json());
    const client = await hostWith("/mcp", key);
    for (const [method, params] of [
      ["skills/list", {}],
      ["skills/get", { uri: `skill://${name}/SKILL.md` }],
      ["resources/read", { uri: `skill://${name}/SKILL.md` }],
      ["resources/read", { uri: `skill://${name}/notes.md` }],
      ["resources/directory/read", { uri: `skill://${name}` }],
    ] as const)
      read.push(await client.request({ method, params }, anything).catch((error) => String(error)));
    return { text: JSON.stringify([texts, read]), statuses: answers.slice(paths.length).map(({ status }) => status) };
  }

  it.each([
    ["a group's", "group:cred-team", () => ada],
    ["a public one", "public", () => undefined],
  ])("of %s restricts its files to its owner, and no list shows the value", async (_, scope, ownerKey) => {
    const name = `cred-before-${scope.replace(":", "-")}`;
    const { id, versionId } = await seedSkill({
      name,
      scope,
      mcpServers,
      body: "Ask it.",
      files: { "notes.md": "Notes." },
    });
    const { text, statuses } = await everythingOf({ id, versionId }, name, outsider);
    expect(text).not.toContain(PLANTED);
    expect(text).toContain("***");
    expect(statuses).toEqual(Array(6).fill(403));
    const refused = await problemOf(call("GET", `${SKILLS}/${id}/download`, { key: outsider }));
    expect(refused).toMatchObject({ code: "CREDENTIAL_WITHHELD" });

    const key = ownerKey();
    const as = key === undefined ? {} : { key };
    expect(await (await call("GET", `${SKILLS}/${id}`, as)).text()).not.toContain(PLANTED);
    expect(await (await call("GET", `${SKILLS}/${id}/files/SKILL.md`, as)).text()).toContain(PLANTED);
    // The next version has no credential, so all users can read it again.
    const next = { name, frontmatter: "tags: [mended]" };
    const published =
      scope === "public"
        ? call("POST", `${SKILLS}/public`, { body: form(skillZip(next)) })
        : upload(next, as, { namespace: "cred-team" });
    expect((await published).status).toBe(201);
    expect((await call("GET", `${SKILLS}/${id}/files/SKILL.md`, { key: outsider })).status).toBe(200);
  });
});

/** A schema that accepts every answer. */
const anything = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value: value as object }) },
};
