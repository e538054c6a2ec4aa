// Signed statements about versions: what is accepted, and every change that is refused.

import { createPublicKey, verify as verifyByNode } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Envelope, type SignedStatement, statementOf } from "../../../src/domain/attestation/statement";
import { verifyVersion } from "../../../src/domain/attestation/verify";
import { publicKeys, signVersion } from "../../../src/services/secrets/signing";

const key = (letter: string) => btoa(letter.repeat(32));
const settings = { SECRETS_KEY: key("a"), SECRETS_KEYS_PREVIOUS: [] };
const other = { SECRETS_KEY: key("b"), SECRETS_KEYS_PREVIOUS: [] };
const ZIP = "0a".repeat(32);
const FACTS = {
  ...{ skillId: "skl_1", name: "tide", scope: "public", versionId: "ver_1", label: "1.0.0", zipSha256: ZIP },
  ...{ publishedAt: Date.UTC(2026, 10, 26), signedLaterAt: null, source: null, provenance: null, review: null },
};
const EXPECTED = { zipSha256: ZIP, name: "tide", skillId: "skl_1", versionId: "ver_1" };

async function signed(facts = FACTS, by = settings): Promise<Envelope> {
  const envelope = await signVersion(by, facts);
  if (envelope === null) throw new Error("not signed");
  return envelope;
}

const keys = await publicKeys(settings);
const envelope = await signed();
const { payload, payloadType, signatures } = envelope;
const [{ keyid, sig }] = signatures;
const decoded = Buffer.from(payload, "base64").toString();
const encoded = (text: string) => Buffer.from(text).toString("base64");
const flipped = (text: string, at: number, bit: number) => {
  const bytes = Buffer.from(text, "base64");
  bytes[at] = (bytes[at] ?? 0) ^ bit;
  return bytes.toString("base64");
};
const changed = (change: (statement: SignedStatement) => unknown) => ({
  ...envelope,
  payload: encoded(JSON.stringify(change(statementOf(FACTS)))),
});

describe("a signed statement", () => {
  it("is accepted for exactly the version that it is about", async () => {
    expect(await verifyVersion(envelope, keys, EXPECTED)).toEqual({ statement: statementOf(FACTS), keyId: keyid });
    expect(await verifyVersion(envelope, keys, { zipSha256: ZIP })).toHaveProperty("statement");
  });

  it("is accepted under a previous key, and keys have stable ids", async () => {
    const rotated = { SECRETS_KEY: key("b"), SECRETS_KEYS_PREVIOUS: [key("a")] };
    expect(await verifyVersion(envelope, await publicKeys(rotated), EXPECTED)).toHaveProperty("statement");
    expect((await publicKeys(rotated)).map(({ kid }) => kid)).toEqual([(await publicKeys(other))[0]?.kid, keyid]);
  });

  it("is valid by Node alone, without code of this project", () => {
    const [jwk] = keys;
    if (jwk === undefined) throw new Error("no key");
    const body = Buffer.from(payload, "base64");
    const bytes = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `), body]);
    const publicKey = createPublicKey({ key: { ...jwk }, format: "jwk" });
    expect(verifyByNode(null, bytes, publicKey, Buffer.from(sig, "base64"))).toBe(true);
    expect(JSON.parse(body.toString())).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "tide.zip", digest: { sha256: ZIP } }],
    });
  });

  it("names no user", () => {
    const text = JSON.stringify(statementOf({ ...FACTS, scope: "user" }));
    expect(text).not.toMatch(/created_by|user_id|publisher/);
  });
});

const foreign = await signed(FACTS, other);
const [foreignKey] = await publicKeys(other);
const [ownKey] = keys;

/** What is wrong, the envelope, and the refusal. */
const TAMPERED: Record<string, [unknown, RegExp]> = {
  "the first byte of the statement": [{ ...envelope, payload: flipped(payload, 0, 1) }, /signature/],
  "the last byte of the statement": [{ ...envelope, payload: flipped(payload, decoded.length - 1, 1) }, /signature/],
  "a byte of the digest": [{ ...envelope, payload: flipped(payload, decoded.indexOf(ZIP), 4) }, /signature/],
  "the digest": [
    changed((s) => ({ ...s, subject: [{ name: "tide.zip", digest: { sha256: "0b".repeat(32) } }] })),
    /signature/,
  ],
  "a second package": [changed((s) => ({ ...s, subject: [...s.subject, ...s.subject] })), /signature/],
  "the name": [
    changed((s) => ({ ...s, predicate: { ...s.predicate, skill: { ...s.predicate.skill, name: "moon" } } })),
    /signature/,
  ],
  "the scope": [
    changed((s) => ({ ...s, predicate: { ...s.predicate, skill: { ...s.predicate.skill, scope: "user" } } })),
    /signature/,
  ],
  "the label": [
    changed((s) => ({ ...s, predicate: { ...s.predicate, version: { id: "ver_1", label: "2.0.0" } } })),
    /signature/,
  ],
  "the time": [
    changed((s) => ({ ...s, predicate: { ...s.predicate, published_at: "2020-01-01T00:00:00.000Z" } })),
    /signature/,
  ],
  "the source": [
    changed((s) => ({
      ...s,
      predicate: { ...s.predicate, source: { type: "git", url: "https://evil.example/", taken_at: "" } },
    })),
    /signature/,
  ],
  "the type of the statement": [
    changed((s) => ({ ...s, predicateType: "https://slsa.dev/provenance/v1" })),
    /signature/,
  ],
  "spaces in the statement": [{ ...envelope, payload: encoded(` ${decoded}`) }, /signature/],
  "a statement written in another order": [
    {
      ...envelope,
      payload: encoded(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(decoded)).reverse()))),
    },
    /signature/,
  ],
  "an empty statement": [{ ...envelope, payload: "" }, /signature/],
  "the statement of another version with this signature": [
    { ...envelope, payload: (await signed({ ...FACTS, versionId: "ver_2" })).payload },
    /signature/,
  ],
  "the first byte of the signature": [{ ...envelope, signatures: [{ keyid, sig: flipped(sig, 0, 1) }] }, /signature/],
  "the last byte of the signature": [{ ...envelope, signatures: [{ keyid, sig: flipped(sig, 63, 128) }] }, /signature/],
  "a short signature": [{ ...envelope, signatures: [{ keyid, sig: encoded("short") }] }, /signature/],
  "an empty signature": [{ ...envelope, signatures: [{ keyid, sig: "" }] }, /signature/],
  "a signature of zeros": [
    { ...envelope, signatures: [{ keyid, sig: Buffer.alloc(64).toString("base64") }] },
    /signature/,
  ],
  "no signature": [{ ...envelope, signatures: [] }, /not a DSSE envelope/],
  "a second signature": [{ ...envelope, signatures: [signatures[0], signatures[0]] }, /not a DSSE envelope/],
  "another key's signature": [foreign, /no key/],
  "another key's signature under this key's id": [
    { ...foreign, signatures: [{ keyid, sig: foreign.signatures[0].sig }] },
    /signature/,
  ],
  "an unknown key": [{ ...envelope, signatures: [{ keyid: "x", sig }] }, /no key 'x'/],
  "another type of content": [{ ...envelope, payloadType: "application/json" }, /not a DSSE envelope \(payloadType/],
  "a further member": [{ ...envelope, more: 1 }, /not a DSSE envelope/],
  "base64url instead of base64": [{ ...envelope, payload: `${payload.slice(0, -4)}-_-_` }, /not a DSSE envelope/],
  "a text": ["envelope", /not a DSSE envelope/],
  nothing: [null, /not a DSSE envelope/],
};

describe("a tampered attestation is refused:", () => {
  it.each(Object.entries(TAMPERED))("%s", async (_, [tampered, problem]) => {
    expect(await verifyVersion(tampered, keys, EXPECTED)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it.each<[string, object, RegExp]>([
    ["package", { zipSha256: "0b".repeat(32) }, /its content differs/],
    ["name", { name: "moon" }, /'tide', not 'moon'/],
    ["skill", { skillId: "skl_2" }, /skl_1, not skl_2/],
    ["version", { versionId: "ver_2" }, /ver_1, not ver_2/],
  ])("of another %s", async (_, more, problem) => {
    expect(await verifyVersion(envelope, keys, { ...EXPECTED, ...more })).toEqual({
      problem: expect.stringMatching(problem),
    });
  });

  it("under a foreign key with the id of this one", async () => {
    const renamed = { ...foreignKey, kid: keyid };
    const posed = { ...foreign, signatures: [{ keyid, sig: foreign.signatures[0].sig }] };
    expect(await verifyVersion(posed, [renamed as NonNullable<typeof ownKey>], EXPECTED)).toEqual({
      problem: expect.stringMatching(/not its thumbprint/),
    });
  });

  it("under a key that is no point of the curve", async () => {
    const x = "A".repeat(42);
    const bad = { ...ownKey, x } as NonNullable<typeof ownKey>;
    expect(await verifyVersion(envelope, [bad], EXPECTED)).toHaveProperty("problem");
  });

  it("signed for another purpose: the same key over the bare statement", async () => {
    const bare = await signed();
    expect(bare.signatures[0].sig).toBe(sig);
    expect(await verifyVersion({ ...bare, payload: encoded(`DSSEv1 ${decoded}`) }, keys, EXPECTED)).toHaveProperty(
      "problem",
    );
  });
});
