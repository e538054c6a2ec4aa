// Verifies packages with the signed statements of a gateway.

import * as z from "zod";
import {
  type PublicSigningKey,
  publicSigningKeySchema,
  type SignedStatement,
} from "../../src/domain/attestation/statement";
import { type ExpectedVersion, verifyVersion } from "../../src/domain/attestation/verify";
import type { Gateway } from "./gateway";
import { acceptedKeys } from "./known-keys";
import { EXIT, Problem } from "./problem";
import { SKILLS } from "./resolve";

const keySetSchema = z.looseObject({ keys: z.array(z.unknown()) });
/** The keys of each gateway, read once. */
const keySets = new WeakMap<Gateway, Promise<PublicSigningKey[]>>();

/** Returns the public keys of a gateway that this machine accepts. Empty: it does not sign versions. */
export function signingKeysOf(gateway: Gateway): Promise<PublicSigningKey[]> {
  const known = keySets.get(gateway) ?? readKeys(gateway);
  keySets.set(gateway, known);
  return known;
}

async function readKeys(gateway: Gateway): Promise<PublicSigningKey[]> {
  const { status, body } = await gateway.readWithStatus(z.unknown(), "/.well-known/jwks.json", { accepts: 404 });
  return acceptedKeys(gateway.work, gateway.signedIn.url, status === 404 ? [] : keysIn(body));
}

/** Returns the keys for signatures of versions in a JSON Web Key Set. Others are ignored. */
export function keysIn(keySet: unknown): PublicSigningKey[] {
  const { data } = keySetSchema.safeParse(keySet);
  if (data === undefined)
    throw new Problem(EXIT.refused, "The keys are not a JSON Web Key Set. Check the file or URL.");
  return data.keys.flatMap((key) => publicSigningKeySchema.safeParse(key).data ?? []);
}

/** Returns the statement about a version, after it was compared with the package. Throws a `Problem` if it does not match. */
export async function verifyWithGateway(
  gateway: Gateway,
  expected: ExpectedVersion & { skillId: string; versionId: string },
): Promise<SignedStatement> {
  const [id, version] = [expected.skillId, expected.versionId].map(encodeURIComponent);
  const path = `${SKILLS}/${id}/versions/${version}/attestation`;
  const envelope: unknown = await gateway.read(z.unknown(), path);
  return verified(envelope, await signingKeysOf(gateway), expected);
}

/** Returns the statement of an envelope, or throws a `Problem` that says what does not match. */
export async function verified(
  envelope: unknown,
  keys: readonly PublicSigningKey[],
  expected: ExpectedVersion,
): Promise<SignedStatement> {
  const outcome = await verifyVersion(envelope, keys, expected);
  if ("statement" in outcome) return outcome.statement;
  const name = expected.name === undefined ? "The package" : `'${expected.name}'`;
  throw new Problem(
    EXIT.refused,
    `${name} is not verified: ${outcome.problem}. Do not use it, and inform the operator.`,
  );
}
