// Downloads a skill's package, and verifies it by digest, signed statement and the gateway's own parser before anything is written.

import { createHash } from "node:crypto";
import type { SkillPackage } from "../../src/domain/package/skill";
import { signingKeysOf, verifyWithGateway } from "./attestation";
import { readSkill } from "./folder";
import type { Gateway } from "./gateway";
import { EXIT, Problem } from "./problem";

const SKILLS = "/api/v1/kinds/skills";

/** Downloads the package of one version. Rejects incomplete downloads. */
export async function downloadSkill(
  gateway: Gateway,
  id: string,
  {
    name,
    version,
    task,
    hash,
  }: { name: string; version?: string | undefined; task?: string | undefined; hash?: string | null | undefined },
): Promise<SkillPackage> {
  const query = { version, task_id: task };
  const { bytes, headers } = await gateway.bytes(`${SKILLS}/${id}/download`, { query, seconds: 120 });
  const digest = createHash("sha256").update(bytes).digest("hex");
  const serverDigest = /sha256[-:]([0-9a-f]{64})/.exec(headers.get("etag") ?? "")?.[1];
  const wanted = hash?.replace(/^sha256:/, "") || serverDigest;
  if (wanted !== undefined && wanted !== digest)
    throw new Problem(EXIT.unreachable, `The digest of the package '${name}' does not match. Try again.`);
  await verifyDownload(gateway, { skillId: id, zipSha256: digest }, headers);
  const { package: found, issues } = await readSkill(bytes, `${name}.zip`);
  if (found === null)
    throw new Problem(
      EXIT.refused,
      `The package of '${name}' is not a valid skill: ${issues.map(({ message }) => message).join("; ")}`,
    );
  return found;
}

/** Compares a download with its signed statement, unless the gateway signs nothing. */
async function verifyDownload(
  gateway: Gateway,
  downloaded: { skillId: string; zipSha256: string },
  headers: Headers,
): Promise<void> {
  if ((await signingKeysOf(gateway)).length === 0) return;
  const versionId = /\/versions\/([\w-]+)\/attestation>/.exec(headers.get("link") ?? "")?.[1];
  if (versionId === undefined)
    throw new Problem(EXIT.refused, "The download names no signed statement. Inform the operator.");
  await verifyWithGateway(gateway, { ...downloaded, versionId });
}
