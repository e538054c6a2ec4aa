import { expect, it } from "vitest";
import { RATES } from "../../src/domain/limits";
import { askWith } from "../fixtures/app";
import { call, keyFor } from "./call";

const ask = (key: string, address: string, bindings: object = {}) =>
  askWith({ RATE_LIMITS: "true", ...bindings }, "/api/v1/me", {
    headers: { authorization: `Bearer ${key}`, "cf-connecting-ip": address },
  });
const guess = (address: string) => ask("sgw_wrong_key_of_somebody_who_guesses", address);

it("whoever guesses keys is soon refused, and nobody else", async () => {
  const seen: number[] = [];
  for (let n = 0; n <= RATES.guesses.requests; n++) seen.push((await guess("192.0.2.1")).status);
  expect(seen.slice(0, -1).every((status) => status === 401)).toBe(true);
  expect(seen.at(-1)).toBe(429);
  const refused = await guess("192.0.2.1");
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(refused.headers.get("ratelimit-policy")).toBe('"guesses";q=30;w=60');
  expect(await refused.json()).toMatchObject({ code: "RATE_LIMITED", limit: 30 });
  expect((await guess("192.0.2.2")).status).toBe(401);
  expect((await ask(await keyFor("rate-owner"), "192.0.2.1")).status).toBe(200);
});

it("a principal that is too fast waits, and its neighbour does not", async () => {
  const [fast, slow] = [await keyFor("rate-fast"), await keyFor("rate-slow")];
  const id = /^sgw_([^_]+)_/.exec(fast)?.[1];
  const counted: string[] = [];
  const PRINCIPAL_RATE = {
    limit: async ({ key }: { key: string }) => {
      counted.push(key);
      return { success: !key.startsWith(`${id} `) };
    },
  };
  const refused = await ask(fast, "192.0.2.3", { PRINCIPAL_RATE });
  expect([refused.status, refused.headers.get("ratelimit")]).toEqual([429, '"principal";r=0;t=10']);
  expect((await ask(slow, "192.0.2.3", { PRINCIPAL_RATE })).status).toBe(200);
  expect(counted[0]).toBe(`${id} rate-fast`);
});

it("every answer has headers that browsers keep to", async () => {
  for (const path of ["/health", "/openapi.json", "/api/v1/me", "/nowhere"]) {
    const { headers } = await call("GET", path);
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("strict-transport-security")).toContain("max-age=");
  }
});

it("a gateway that has no first key says how to make one", async () => {
  const fresh = await askWith({ GATEWAY_ADMIN_KEY: undefined }, "/api/v1/me");
  expect([fresh.status, (await fresh.json<{ detail: string }>()).detail]).toEqual([
    401,
    expect.stringContaining("GATEWAY_ADMIN_KEY"),
  ]);
  const usual = await call("GET", "/api/v1/me", { key: null });
  expect(await usual.text()).not.toContain("GATEWAY_ADMIN_KEY");
});
