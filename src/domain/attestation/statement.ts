// Signed statements about versions of skills: an in-toto statement (https://in-toto.io/Statement/v1) in a DSSE envelope
// (https://github.com/secure-systems-lab/dsse). The gateway signs them, and clients verify a package with them.

import * as z from "zod";
import { type Provenance, provenanceSchema } from "../access/provenance";
import { skillSource } from "../catalog/source";

export const PAYLOAD_TYPE = "application/vnd.in-toto+json";
export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const PREDICATE_TYPE = "urn:skill-gateway:skill-version:v1";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A statement. It names no user: an envelope cannot be changed when a user is erased. */
export const statementSchema = z.lazy(() =>
  z.strictObject({
    _type: z.literal(STATEMENT_TYPE),
    /** The package. `sha256`: of the ZIP as it is downloaded. */
    subject: z.tuple([z.strictObject({ name: z.string(), digest: z.strictObject({ sha256 }) })]),
    predicateType: z.literal(PREDICATE_TYPE),
    predicate: z.strictObject({
      skill: z.strictObject({
        id: z.string(),
        name: z.string(),
        /** `public`, `user` or `group:<name>`. */
        scope: z.string(),
      }),
      version: z.strictObject({ id: z.string(), label: z.string().nullable() }),
      /** The time of publishing, in ISO 8601. */
      published_at: z.iso.datetime(),
      /** The time of signing, if the version was signed after it was published. Then the gateway signed what its database contained. */
      signed_later_at: z.iso.datetime().nullable(),
      /** The declared source, which the gateway does not check. */
      source: skillSource.nullable(),
      /** Where a trusted publisher built the version, as the issuer of its CI stated it. Absent for versions published with other keys. */
      provenance: provenanceSchema.optional(),
      /**
       * The review that approved the version, and the number of people besides the author who did. 0: an admin bypassed the review. Absent
       * for versions without a review.
       */
      review: z.strictObject({ id: z.string(), reviewers: z.int().min(0) }).optional(),
    }),
  }),
);
export type SignedStatement = z.infer<typeof statementSchema>;

/** A DSSE envelope as JSON. Texts are in base64. */
export const envelopeSchema = z.lazy(() =>
  z.strictObject({
    payloadType: z.literal(PAYLOAD_TYPE),
    payload: z.base64(),
    signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.base64() })]),
  }),
);
export type Envelope = z.infer<typeof envelopeSchema>;

/** A signature of a previous key, in base64. */
export const endorsementSchema = z.lazy(() => z.object({ keyid: z.string(), sig: z.base64() }));

/** A public key for signatures with Ed25519 (RFC 8037). `kid` is its thumbprint (RFC 7638). */
export const publicSigningKeySchema = z.lazy(() =>
  z.object({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    kid: z.string(),
    x: z.string(),
    /** Signatures of previous keys over this key's id. */
    endorsements: z.array(endorsementSchema).max(16).optional(),
  }),
);
export type PublicSigningKey = z.infer<typeof publicSigningKeySchema>;

/** What a version is. */
export interface SignedFacts {
  skillId: string;
  name: string;
  scope: string;
  versionId: string;
  label: string | null;
  zipSha256: string;
  /** Milliseconds since the epoch; `signedLaterAt`: `null` if the version is signed while it is published. */
  publishedAt: number;
  signedLaterAt: number | null;
  source: SignedStatement["predicate"]["source"];
  provenance: Provenance | null;
  review: { id: string; reviewers: number } | null;
}

/** Returns the statement about a version. */
export function statementOf(facts: SignedFacts): SignedStatement {
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: `${facts.name}.zip`, digest: { sha256: facts.zipSha256 } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      skill: { id: facts.skillId, name: facts.name, scope: facts.scope },
      version: { id: facts.versionId, label: facts.label },
      published_at: instant(facts.publishedAt),
      signed_later_at: facts.signedLaterAt === null ? null : instant(facts.signedLaterAt),
      source: facts.source,
      ...(facts.provenance === null ? {} : { provenance: facts.provenance }),
      ...(facts.review === null ? {} : { review: facts.review }),
    },
  };
}

/** Returns the bytes that are signed (DSSE's "pre-authentication encoding"). They include the type, so that no other text fits. */
export function signedBytes(payload: Uint8Array, type = PAYLOAD_TYPE): Uint8Array {
  const head = new TextEncoder().encode(`DSSEv1 ${new TextEncoder().encode(type).length} ${type} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}
