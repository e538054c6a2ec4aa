// Where reviews are required, clients of other registries, plugins and CI jobs publish nothing.

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { call } from "../../support/call";
import { gitlabClaims } from "../../support/ci-claims";
import { CiIssuer, serveIssuers } from "../../support/ci-issuer";
import { publishSlug, skillText } from "../../support/clawhub";
import { sign } from "../../support/issuer";
import { crewWith, outcome, REVIEWS, SKILLS, skillIn, submitted } from "../../support/reviews";
import { form, skillZip, zip } from "../../support/skill";

let crew: Awaited<ReturnType<typeof crewWith>>;
beforeAll(async () => {
  crew = await crewWith("required");
});
afterAll(() => vi.restoreAllMocks());

it("a client of ClawHub", async () => {
  const files = { "SKILL.md": skillText("claw") };
  const answer = await publishSlug(crew.owner, { slug: "claw", owner: `group.${crew.group}`, files });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("published after a review")]);
  expect(await skillIn(crew.dev, crew.group, "claw")).toBeNull();
});

it("an upload of a plugin, skill by skill", async () => {
  const body = new FormData();
  const manifest = { $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", name: "acme.tools" };
  const text = "---\nname: plugged\ndescription: Does it.\n---\n\nDo.\n";
  const bytes = zip({ "plugin.json": JSON.stringify(manifest), "skills/plugged/SKILL.md": text });
  body.append("files[]", new File([bytes], "plugin.zip"));
  const answer = await call("POST", `/s/group/${crew.group}/agent-plugin`, { key: crew.owner, body });
  expect(await answer.text()).toContain("published after a review");
  expect(await skillIn(crew.dev, crew.group, "plugged")).toBeNull();
});

it("a CI job with the key of a trusted publisher, which cannot submit or decide either", async () => {
  const ci = new CiIssuer("https://reviewed.acme.dev");
  const pair = await ci.add("ci");
  serveIssuers(ci);
  const entry = { issuer: ci.url, claims: { project_path: "acme/tools/*" }, skills: ["built"] };
  const scope = { scope: "group", group_name: crew.group };
  const stored = await call("PUT", "/api/v1/publishers/ci", { key: crew.mia, json: { ...entry, ...scope } });
  const { id: publisher } = await stored.json<{ id: string }>();
  const token = await sign(pair, gitlabClaims(ci.url));
  const exchanged = await call("POST", "/api/v1/trusted-publishing/token", { key: null, json: { token, publisher } });
  expect(exchanged.status).toBe(200);
  const { key } = await exchanged.json<{ key: string }>();
  const body = form(skillZip({ name: "built" }), { namespace: crew.group });
  expect(await outcome(call("POST", `${SKILLS}/upload`, { key, body }))).toBe("403 REVIEW_REQUIRED");
  const made = await submitted(crew.dev, { name: "other" }, { namespace: crew.group });
  const decision = { decision: "approve", zip_sha256: made.zip_sha256, base_version_id: null };
  expect(await outcome(call("POST", REVIEWS, { key, json: { draft: "other", public: true } }))).toMatch(/^403 /);
  expect(await outcome(call("POST", `${REVIEWS}/${made.id}/decision`, { key, json: decision }))).toMatch(/^403 /);
  vi.restoreAllMocks();
});
