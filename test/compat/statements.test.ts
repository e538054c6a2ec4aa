// Every download of a skill, by any client, names the signed statement about its version.

import { unzipSync } from "fflate";
import { beforeAll, expect, it } from "vitest";
import { publicSigningKeySchema } from "../../src/domain/attestation/statement";
import { verifyEnvelope } from "../../src/domain/attestation/verify";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { BETA } from "../support/vendor-skills";

const ORIGIN = "https://gateway.test";
let key: string;
let id: string;

beforeAll(async () => {
  key = await keyFor("statements-reader");
  ({ id } = await publishPublic({ name: "stated", version: "1.0.0" }));
  await call("PUT", `/api/v1/open-skills/${id}`);
  // The vendors' APIs serve the skills of the caller.
  await publishOwn(key, { name: "stated-own", version: "1.0.0" });
});

/** The id that a vendor's API gives the caller's skill. */
async function vendorId(path: string, headers: Record<string, string> = {}): Promise<string> {
  const list = await (await call("GET", path, { key, headers })).json<{ data: { id: string }[] }>();
  return list.data[0]?.id ?? "none";
}

/** The path of the only skill in an index. */
async function inIndex(index: string, field: RegExp): Promise<string> {
  const text = await (await call("GET", index, { key: null })).text();
  const url = text.match(field)?.[1] ?? "";
  return new URL(url, ORIGIN + index).pathname;
}

it.each<[string, () => string | Promise<string>, Record<string, string>?]>([
  ["the API", () => `/api/v1/kinds/skills/${id}/download`],
  ["OpenAI's Skills API", async () => `/openai/v1/skills/${await vendorId("/openai/v1/skills")}/content`],
  [
    "Anthropic's Skills API",
    async () =>
      `/anthropic/v1/skills/${await vendorId("/anthropic/v1/skills?source=custom", BETA)}/versions/latest/content`,
    BETA,
  ],
  ["ClawHub", () => "/api/v1/download?slug=stated&version=1.0.0"],
  ["Wegent's market", () => "/api/skill-market/download/stated?provider=gateway"],
  ["the index", () => inIndex("/.well-known/agent-skills/index.json", /"url":"(-\/stated\/[^"]+)"/)],
  ["a marketplace", () => inIndex("/s/public/.claude-plugin/marketplace.json", /"url":"([^"]+\/stated\/[^"]+)"/)],
])("a download through %s does", async (_, pathOf, headers = {}) => {
  const path = await pathOf();
  const answer = await call("GET", path, { key, headers });
  expect(answer.status).toBe(200);
  expect(Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer()))).length).toBeGreaterThan(0);
  const [, target] = /^<([^>]+)>; rel="describedby"/.exec(answer.headers.get("link") ?? "") ?? [];
  const statement = await call("GET", new URL(target ?? "/none", ORIGIN + path).pathname, { key });
  const keySet = await (await call("GET", "/.well-known/jwks.json", { key: null })).json<{ keys: unknown[] }>();
  const keys = keySet.keys.map((one) => publicSigningKeySchema.parse(one));
  const verified = await verifyEnvelope(await statement.json(), keys);
  expect(verified).toMatchObject({
    statement: {
      predicate: { skill: { name: expect.stringMatching(/^stated(-own)?$/) }, version: { label: "1.0.0" } },
    },
  });
});
