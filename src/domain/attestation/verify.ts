// Checks a package against its signed statement.

import type * as z from "zod";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "../base64";
import { sha256Hex } from "../digest";
import { envelopeSchema, type PublicSigningKey, type SignedStatement, signedBytes, statementSchema } from "./statement";

/** What the statement must be about. A field that is `undefined` is not compared. */
export interface ExpectedVersion {
  zipSha256: string;
  name?: string | undefined;
  skillId?: string | undefined;
  versionId?: string | undefined;
}

export type Verified = { statement: SignedStatement; keyId: string } | { problem: string };

/**
 * Returns the statement of an envelope if one of the keys signed it and it is about the expected version, or what is wrong.
 *
 * @param envelope parsed JSON from anywhere
 */
export async function verifyVersion(
  envelope: unknown,
  keys: readonly PublicSigningKey[],
  expected: ExpectedVersion,
): Promise<Verified> {
  const signed = await verifyEnvelope(envelope, keys);
  if ("problem" in signed) return signed;
  const { statement, keyId } = signed;
  const { subject, predicate } = statement;
  const { skill, version } = predicate;
  if (expected.name !== undefined && skill.name !== expected.name)
    return { problem: `the attestation is about the skill '${skill.name}', not '${expected.name}'` };
  if (expected.skillId !== undefined && skill.id !== expected.skillId)
    return { problem: `the attestation is about the skill ${skill.id}, not ${expected.skillId}` };
  if (expected.versionId !== undefined && version.id !== expected.versionId)
    return { problem: `the attestation is about version ${version.id}, not ${expected.versionId}` };
  if (subject[0].digest.sha256 !== expected.zipSha256)
    return { problem: "the package is not the one that was signed: its content differs" };
  return { statement, keyId };
}

/** Returns the statement of an envelope if one of the keys signed it, or what is wrong. */
export async function verifyEnvelope(envelope: unknown, keys: readonly PublicSigningKey[]): Promise<Verified> {
  const { data, error } = envelopeSchema.safeParse(envelope);
  if (data === undefined) return { problem: `the attestation is not a DSSE envelope (${firstOf(error)})` };
  const { payload, signatures } = data;
  const [{ keyid, sig }] = signatures;
  const key = keys.find(({ kid }) => kid === keyid);
  if (key === undefined) return { problem: `the gateway has no key '${keyid.slice(0, 64)}'` };
  if ((await thumbprintOf(key)) !== key.kid) return { problem: `the id of the key '${key.kid}' is not its thumbprint` };
  const bytes = decodeBase64(payload);
  if (!(await isSignedBy(key, decodeBase64(sig), signedBytes(bytes))))
    return { problem: "the signature of the attestation is not valid" };
  const read = statementSchema.safeParse(jsonOf(bytes));
  if (!read.success)
    return { problem: `the signed statement is not about a version of a skill (${firstOf(read.error)})` };
  return { statement: read.data, keyId: key.kid };
}

/** Whether a key made this signature of the bytes. */
export async function isSignedBy(
  { x }: Pick<PublicSigningKey, "x">,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array,
): Promise<boolean> {
  const point = decodeBase64Url(x);
  if (point?.length !== 32 || signature.length !== 64) return false;
  try {
    const key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, new Uint8Array(bytes));
  } catch {
    // WebCrypto reports no details. A point that is not on the curve cannot be imported.
    return false;
  }
}

/** Returns the thumbprint of a key (RFC 7638, RFC 8037 section 2): SHA-256 of its required members in alphabetical order. */
export async function thumbprintOf({ crv, kty, x }: Pick<PublicSigningKey, "crv" | "kty" | "x">): Promise<string> {
  const hex = await sha256Hex(JSON.stringify({ crv, kty, x }));
  return encodeBase64Url(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
}

function firstOf({ issues }: z.core.$ZodError): string {
  const [issue] = issues;
  return issue === undefined ? "unreadable" : `${issue.path.join(".") || "value"}: ${issue.message}`;
}
