import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readKeySet, readNewerKeySet } from "../../src/upstream/issuer-keys";
import { Issuer } from "../support/issuer";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let issuer: Issuer;
beforeEach(async () => {
  issuer = new Issuer();
  await issuer.add("a");
});
afterEach(() => {
  vi.restoreAllMocks();
});

const read = (now: number) => readKeySet(issuer.keysUrl, { fetch: issuer.fetch, now });
const kids = async (now: number) => (await read(now)).keys.map((key) => key.kid);
const down = () => new Response("no", { status: 503 });

describe("an issuer's keys", () => {
  it("are read once in ten minutes", async () => {
    expect(await kids(0)).toEqual(["a"]);
    await issuer.add("b");
    expect(await kids(10 * MINUTE - 1)).toEqual(["a"]);
    expect(issuer.asked).toBe(1);
    expect(await kids(10 * MINUTE)).toEqual(["a", "b"]);
    expect(issuer.asked).toBe(2);
  });

  it("stay valid for a day of an outage, and are read again every ten seconds", async () => {
    await read(0);
    issuer.instead = down;
    expect(await kids(10 * MINUTE)).toEqual(["a"]);
    expect(await kids(10 * MINUTE + 9 * SECOND)).toEqual(["a"]);
    expect(issuer.asked).toBe(2);
    expect(await kids(10 * MINUTE + 10 * SECOND)).toEqual(["a"]);
    expect(issuer.asked).toBe(3);
    expect(await kids(24 * HOUR - 1)).toEqual(["a"]);
    await expect(read(24 * HOUR)).rejects.toMatchObject({ reason: "ISSUER_UNAVAILABLE" });
    issuer.instead = null;
    expect(await kids(24 * HOUR + 10 * SECOND)).toEqual(["a"]);
  });

  it("are not waited for while an issuer that never answered is down", async () => {
    issuer.instead = down;
    for (const now of [0, 1, 9 * SECOND]) {
      await expect(read(now)).rejects.toMatchObject({ code: "unavailable" });
    }
    expect(issuer.asked).toBe(1);
    issuer.instead = null;
    expect(await kids(10 * SECOND)).toEqual(["a"]);
  });

  it("are looked for at most once a minute when one is not among them", async () => {
    const set = await read(0);
    const look = (now: number) => readNewerKeySet(issuer.keysUrl, set, { fetch: issuer.fetch, now });
    await issuer.add("b");
    expect((await look(SECOND))?.keys).toHaveLength(2);
    // What another request has found meanwhile costs nothing.
    expect((await look(2 * SECOND))?.keys).toHaveLength(2);
    expect(issuer.asked).toBe(2);
    const newest = await read(3 * SECOND);
    const lookAgain = (now: number) => readNewerKeySet(issuer.keysUrl, newest, { fetch: issuer.fetch, now });
    for (let now = 4 * SECOND; now < 60 * SECOND; now += SECOND) expect(await lookAgain(now)).toBeNull();
    expect(issuer.asked).toBe(2);
    expect(await lookAgain(61 * SECOND)).not.toBeNull();
    expect(issuer.asked).toBe(3);
  });

  it.each<[string, () => Response]>([
    ["is not there", () => new Response("gone", { status: 404 })],
    ["sends them elsewhere", () => Response.redirect("https://elsewhere.test/jwks.json", 302)],
    ["is no JSON", () => new Response("<html>")],
    ["is no set", () => Response.json({ keys: "all" })],
    ["has too many", () => Response.json({ keys: Array.from({ length: 101 }, () => ({ kty: "EC" })) })],
    ["is too large", () => Response.json({ keys: [{ kty: "EC", x: "x".repeat(300 * 1024) }] })],
    [
      "never ends",
      () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)) }),
        ),
    ],
  ])("are none when the answer %s", async (_, instead) => {
    issuer.instead = instead;
    await expect(read(0)).rejects.toMatchObject({ reason: "ISSUER_UNAVAILABLE" });
  });

  it("never are shared secrets", async () => {
    issuer.published.push({ kty: "oct", kid: "secret", k: "c2VjcmV0" });
    expect(await kids(0)).toEqual(["a"]);
  });
});
