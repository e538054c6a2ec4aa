// The region in which a conversation is created: from the gateway's setting or the creation request. It does not change later.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { REGIONS } from "../../../src/domain/settings/settings";
import { askWith } from "../../support/app";
import { call, keyFor } from "../../support/call";

/** Sends a request to a gateway with a region setting. Returns the status and the location hints of its Durable Objects. */
async function place(region: string | null, key: string, method: string, path: string, json?: object) {
  const hints: (string | undefined)[] = [];
  const CONVERSATIONS = new Proxy(env.CONVERSATIONS, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        const [, options] = given as [string, DurableObjectNamespaceGetDurableObjectOptions?];
        if (name === "getByName") hints.push(options?.locationHint);
        return Reflect.apply(member, target, given);
      };
    },
  });
  const settings = { CONVERSATIONS, ...(region === null ? {} : { CONVERSATION_REGION: region }) };
  const answer = await askWith(settings, `/api/v1/conversations${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: answer.status, body: await answer.json<Record<string, unknown>>(), hints };
}

it("is near its first caller by default", async () => {
  const key = await keyFor("region-auto");
  const made = await place(null, key, "POST", "", { id: "anywhere" });
  expect(made).toMatchObject({ status: 201, body: { region: "auto", settings: {} }, hints: [undefined] });
});

it("is in the region of the setting, even if it was only read before", async () => {
  const key = await keyFor("region-gateway");
  const looked = await place("apac-ne", key, "GET", "/far");
  expect(looked.status).toBe(404);
  // A 404 is checked a second time, so the set removes the duplicate hint.
  expect(new Set(looked.hints)).toEqual(new Set(["apac-ne"]));
  const made = await place("apac-ne", key, "PUT", "/far", {});
  // The object reads the pool's own settings, which name no region.
  expect(made).toMatchObject({ status: 201, hints: ["apac-ne"] });
});

it("is where its creation says, whatever the gateway's setting is", async () => {
  const key = await keyFor("region-own");
  const put = await place("enam", key, "PUT", "/one", { region: "weur" });
  expect(put).toMatchObject({ status: 201, body: { region: "weur", settings: { region: "weur" } }, hints: ["weur"] });
  const posted = await place("enam", key, "POST", "", { id: "two", region: "auto" });
  expect(posted).toMatchObject({ status: 201, body: { region: "auto" }, hints: [undefined] });
  const turn = await place("enam", key, "POST", "/three/turns", { conversation: { region: "oc" } });
  expect([turn.status, turn.hints]).toEqual([200, ["oc"]]);
  expect((await place("enam", key, "GET", "/three")).body).toMatchObject({ region: "oc" });
});

it("stays where it was made, and its settings say so", async () => {
  const key = await keyFor("region-stays");
  await call("PUT", "/api/v1/conversations/fixed", { key, json: { region: "weur", retention_turns: 2 } });
  for (const [method, path, json] of [
    ["PUT", "/fixed", { region: "oc" }],
    ["PUT", "/fixed", {}],
    ["POST", "", { id: "fixed", region: "auto", retention_turns: 4 }],
  ] as const) {
    const answer = await call(method, `/api/v1/conversations${path}`, { key, json });
    expect([answer.status, await answer.json()]).toMatchObject([200, { region: "weur", settings: { region: "weur" } }]);
  }
  const made = await call("PUT", "/api/v1/conversations/anywhere", { key, json: {} });
  expect(made.status).toBe(201);
  const changed = await call("PUT", "/api/v1/conversations/anywhere", { key, json: { region: "oc" } });
  expect(await changed.json()).toMatchObject({ region: "auto", settings: {} });
});

it("is refused in a place that there is not, with those that there are", async () => {
  const key = await keyFor("region-wrong");
  for (const [method, path, json] of [
    ["POST", "", { id: "nowhere", region: "mars" }],
    ["PUT", "/nowhere", { region: "WEUR" }],
    ["POST", "/nowhere/turns", { conversation: { region: "eu" } }],
  ] as const) {
    const answer = await call(method, `/api/v1/conversations${path}`, { key, json });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    for (const region of ["auto", ...REGIONS]) expect(text).toContain(`"${region}`.replace('"', ""));
  }
  expect((await call("GET", "/api/v1/conversations/nowhere", { key })).status).toBe(404);
});
