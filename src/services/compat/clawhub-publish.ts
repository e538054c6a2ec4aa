// Publishes for ClawHub's clients: files uploaded one by one, with a slug and a version outside of the package.

import { namespaceOfScope, PUBLIC_SCOPE, PUBLIC_USER, userScope } from "../../domain/access/access";
import { numberOfVersionName, type Owner, versionNameOf } from "../../domain/compat/clawhub";
import { GatewayError, refusalIn } from "../../domain/errors";
import { foldName } from "../../domain/package/path";
import { readNextNumber } from "../../storage/d1/compat/published-versions";
import type { SkillRecord } from "../../storage/d1/skills";
import type { Context } from "../context";
import { publish } from "../registry/publish";
import { publishScope, requireRight } from "../registry/skills";
import { deleteUploads, type PartFile, zipOfUploads } from "./upload-parts";

export interface SlugRelease {
  slug: string;
  owner: Owner;
  version: string;
  files: readonly PartFile[];
}

/** Publishes a release. Its upload tickets are used up unless the request can be retried. */
export async function publishSlug(context: Context, release: SlugRelease): Promise<SkillRecord> {
  const ids = release.files.map(({ id }) => id);
  try {
    const skill = await released(context, release);
    await deleteUploads(context, ids);
    return skill;
  } catch (error) {
    const code = refusalIn(error)?.code;
    if (code !== undefined && code !== "unavailable" && code !== "rate_limited") await deleteUploads(context, ids);
    throw error;
  }
}

async function released(context: Context, { slug, owner, version, files }: SlugRelease): Promise<SkillRecord> {
  const { principal } = context.caller;
  const scope = scopeOf(context, owner);
  requireRight(principal, "publish", scope);
  await requireNextNumber(context, scope, slug, version);
  const userId = scope === PUBLIC_SCOPE ? PUBLIC_USER : principal.userId;
  const { status, skill } = await publish(context, {
    upload: await zipOfUploads(context, slug, files),
    ...{ fileName: undefined, name: slug, idempotencyKey: null, label: version },
    target: { scope, namespace: namespaceOfScope(scope), userId },
  });
  const named = versionNameOf({ label: skill.label, number: skill.number });
  if (status === 201 || named === version) return skill;
  const message = `These files were already published as version ${named} of '${slug}'. Nothing was published.`;
  throw new GatewayError("conflict", "CONTENT_EXISTS", message, { version: named, version_id: skill.versionId });
}

function scopeOf({ caller: { principal } }: Context, owner: Owner): string {
  if (owner.kind === "public") return PUBLIC_SCOPE;
  return owner.kind === "own" ? userScope(principal.userId) : publishScope(principal, owner.group);
}

/** `0.0.<n>` is the default name of the n-th version, so no other version can use it. */
async function requireNextNumber(context: Context, scope: string, slug: string, version: string): Promise<void> {
  const number = numberOfVersionName(version);
  if (number === null) return;
  const next = await readNextNumber(context.db, scope, foldName(slug));
  if (number === next) return;
  const message = `Version label not available. Versions 0.0.<n> are numbered automatically, and the next one of '${slug}' is 0.0.${next}. Use that, or 0.1.0 and above.`;
  throw new GatewayError("conflict", "VERSION_NOT_NEXT", message, { version, next: `0.0.${next}` });
}
