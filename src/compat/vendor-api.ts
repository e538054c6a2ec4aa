// Shared parts of the vendors' Skills APIs: scope, form uploads, paging, downloads and errors.

import type { Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { packFormFiles } from "../domain/compat/form-files";
import { type VendorRefusal, vendorRefusalOf } from "../domain/compat/vendor-errors";
import { skillIdOf } from "../domain/compat/vendor-ids";
import { GatewayError, type Issue, invalid } from "../domain/errors";
import { REQUEST_LIMITS } from "../domain/limits";
import { attestationLink } from "../edge/attestation-link";
import type { HttpEnv } from "../edge/edge";
import { disposition } from "../edge/etag";
import { logUnexpected } from "../edge/unexpected";
import {
  findShown,
  findVendorVersion,
  type VendorScope,
  type VendorUpload,
  vendorScope,
} from "../services/compat/vendor-skills";
import { requireUnblocked } from "../services/compat/version-blocks";
import { findPackage, openBytes } from "../services/registry/skills";
import type { VendorSkill, VendorVersion } from "../storage/d1/compat/vendor-skills";

/** Default page size. */
const PAGE = 20;
const FIELDS = ["files[]", "files"];

/** Returns the scope of a request: the group in its path, otherwise the caller's own. */
export function vendorScopeOf(c: HonoContext<HttpEnv>): VendorScope {
  return vendorScope(c.get("context"), c.req.param("group"));
}

/** Reads the files of a form as one upload, and its texts. Unknown fields are rejected, because they would be lost silently. */
export async function readUpload(
  c: HonoContext<HttpEnv>,
  texts: readonly string[],
): Promise<{ upload: VendorUpload; texts: ReadonlyMap<string, string> }> {
  const form = await readForm(c);
  const issues: Issue[] = [];
  const said = new Map<string, string>();
  const files: File[] = [];
  for (const [name, value] of form) {
    if (FIELDS.includes(name) && value instanceof File) files.push(value);
    else if (texts.includes(name) && typeof value === "string") said.set(name, value);
    else issues.push({ code: "UNKNOWN_FIELD", message: "Unknown form field. Remove it.", path: name.slice(0, 100) });
  }
  if (issues.length > 0) throw invalid(issues);
  const read = await Promise.all(
    files.map(async (file) => ({ path: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
  );
  const idempotencyKey = c.req.header("idempotency-key") ?? null;
  if ((idempotencyKey ?? "").length > REQUEST_LIMITS.idempotencyKeyChars)
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: `Value too long (limit ${REQUEST_LIMITS.idempotencyKeyChars} characters). Use a shorter key.`,
        path: "Idempotency-Key",
      },
    ]);
  const fileName = files.length === 1 ? files[0]?.name : undefined;
  return { upload: { bytes: packFormFiles(read), fileName, idempotencyKey }, texts: said };
}

async function readForm(c: HonoContext<HttpEnv>): Promise<FormData> {
  const type = c.req.header("content-type") ?? "";
  const message = "Files are missing. Send the skill's files as multipart/form-data in the field `files[]`.";
  if (!/^multipart\/form-data\b/i.test(type)) throw invalid([{ code: "INVALID_BODY", message }]);
  try {
    return await c.req.raw.formData();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid([
      { code: "INVALID_BODY", message: "The form is incomplete or malformed. Send valid multipart/form-data." },
    ]);
  }
}

/** Reads the parameters of a list: numbers, or one of a few values. Other values are rejected. */
export function limitOf(c: HonoContext<HttpEnv>): number {
  const text = c.req.query("limit");
  if (text === undefined) return PAGE;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= REQUEST_LIMITS.listLimit) return limit;
  throw wrongQuery("limit", `Value out of range (1 to ${REQUEST_LIMITS.listLimit}).`);
}

export function wordOf<W extends string>(c: HonoContext<HttpEnv>, name: string, words: readonly W[]): W | undefined {
  const text = c.req.query(name);
  if (text === undefined || text === "") return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw wrongQuery(name, `Value not allowed. Use one of: ${words.join(", ")}.`);
  return word;
}

export function wrongQuery(name: string, message: string): GatewayError {
  return invalid([{ code: "INVALID_FIELD", message, path: `query.${name}` }]);
}

/** Returns the skill id in a path; `null` if it is not valid. */
export const skillIn = (c: HonoContext<HttpEnv>) => skillIdOf(c.req.param("id") ?? "");

/** Returns the version of a skill that a path names, in the vendor's naming. */
export function versionOf(c: HonoContext<HttpEnv>, skill: VendorSkill, calledBy: "time" | "number") {
  return findVendorVersion(vendorScopeOf(c), skill, c.req.param("version") ?? "", calledBy);
}

/** Returns the version in the path, if the caller can see it. */
export async function versionIn(c: HonoContext<HttpEnv>, calledBy: "time" | "number"): Promise<VendorVersion> {
  return versionOf(c, await findShown(vendorScopeOf(c), skillIn(c)), calledBy);
}

/** Returns the ZIP of a version with the skill's folder, as vendors serve it. */
export async function answerContent(c: HonoContext<HttpEnv>, skillId: string, versionId: string): Promise<Response> {
  const found = await findPackage(c.get("context"), skillId, versionId);
  await requireUnblocked(c.get("context"), found.versionId);
  const body = await openBytes(c.get("context"), found.versionId, 0, c.req.method === "HEAD" ? 0 : found.zipSize);
  return new Response(body, {
    headers: {
      "content-type": "application/zip",
      "content-length": String(found.zipSize),
      "content-disposition": disposition("attachment", `${found.name}.zip`),
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, no-store",
      link: attestationLink(skillId, found.versionId),
    },
  });
}

/** The error for an unknown path of a vendor's API. */
export function notServed(c: HonoContext<HttpEnv>): never {
  const message = `Endpoint not found: ${c.req.method} ${c.req.path}. Check the base URL and the path.`;
  throw new GatewayError("not_found", "NOT_FOUND", message);
}

/** Converts any error into the vendor's format. */
export function answerRefusal(
  error: unknown,
  c: HonoContext<HttpEnv>,
  envelope: (refusal: VendorRefusal, requestId: string) => object,
  requestHeader: string,
): Response {
  const refusal = vendorRefusalOf(error) ?? refusalOfBody(error) ?? unexpected(error, c);
  const requestId = c.get("requestId");
  if (refusal.status === 401)
    c.set("unauthenticated", c.req.header("authorization") !== undefined || c.req.header("x-api-key") !== undefined);
  c.set("problem", refusal.code.toUpperCase());
  const headers = { ...refusal.headers, [requestHeader]: requestId, "cache-control": "no-store" };
  return Response.json(envelope(refusal, requestId), { status: refusal.status, headers });
}

function refusalOfBody(error: unknown): VendorRefusal | null {
  if (!(error instanceof HTTPException) || error.status !== 413) return null;
  const message = `Upload too large (limit ${Math.floor(REQUEST_LIMITS.uploadBytes / 1_048_576)} MiB for all files).`;
  return { status: 413, code: "body_too_large", message, details: {}, headers: {} };
}

function unexpected(error: unknown, c: HonoContext<HttpEnv>): VendorRefusal {
  logUnexpected(error, { route: `${c.req.method} ${c.req.routePath}` }, c.get("requestId"));
  const message = "Internal error. Report the request id to the operator of the gateway.";
  return { status: 500, code: "internal", message, details: {}, headers: {} };
}
