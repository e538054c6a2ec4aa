// `verify`: checks a folder or ZIP against the signed statement about it.

import { readFile } from "node:fs/promises";
import type { SignedStatement } from "../../../src/domain/attestation/statement";
import { keysIn, signingKeysOf, verified, verifyWithGateway } from "../attestation";
import { type Command, GATEWAY_OPTIONS, option, TEXT, type Values } from "../command";
import { answer, note, placeOf, tell, type Work } from "../context";
import { readSkill, skillAt } from "../folder";
import { originOf } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { findNamed, gatewayOf, readVersionsOf } from "../resolve";

export const verify: Command = {
  usage: "[skill] [--as <name>] [--attestation <file> --keys <file>]",
  summary:
    "Checks that a folder or ZIP is exactly a version that the gateway has signed. --as: the skill on the gateway, if it is not the visible one of that name. --attestation and --keys: checks with files, without a gateway.",
  options: { ...GATEWAY_OPTIONS, as: TEXT, attestation: TEXT, keys: TEXT },
  names: [0, 1],
  async run(work, [typed = "."], values) {
    const skill = await skillAt(work, typed);
    const { package: found, issues } = await readSkill(await skill.zip(), `${skill.name}.zip`);
    if (found === null)
      throw new Problem(EXIT.refused, `Not a valid skill: ${issues.map(({ message }) => message).join("; ")}`);
    const statement = await statementFor(work, values, found);
    const { version, published_at, source } = statement.predicate;
    answer(work, { verified: true, statement });
    const label = version.label === null ? version.id : `${version.label} (${version.id})`;
    tell(
      work,
      [
        `${found.name} ${label} is unchanged since it was published on ${published_at.slice(0, 10)}`,
        ...(source === null
          ? []
          : [`  stated source: ${source.type === "mcp" ? source.url : originOf({ ...source, type: source.type })}`]),
      ].join("\n"),
    );
    return EXIT.done;
  },
};

async function statementFor(
  work: Work,
  values: Values,
  { name, zipSha256 }: { name: string; zipSha256: string },
): Promise<SignedStatement> {
  const [attestation, keys] = [option(values, "attestation"), option(values, "keys")];
  if ((attestation === undefined) !== (keys === undefined)) throw misused("--attestation and --keys need each other.");
  if (attestation !== undefined && keys !== undefined)
    return verified(await jsonIn(work, attestation), keysIn(await jsonIn(work, keys)), { zipSha256, name });
  const gateway = await gatewayOf(work, values);
  if ((await signingKeysOf(gateway)).length === 0)
    throw new Problem(EXIT.absent, "The gateway does not sign versions. The operator must set SECRETS_KEY.");
  const { metadata } = await findNamed(gateway, option(values, "as") ?? name);
  const skillId = metadata.labels.id;
  const version = (await readVersionsOf(gateway, skillId)).find(({ fileHash }) => fileHash === zipSha256);
  if (version === undefined)
    throw new Problem(
      EXIT.refused,
      `'${name}' differs from every version of '${metadata.name}' on the gateway. Compare it with \`${work.program} diff\`.`,
    );
  const statement = await verifyWithGateway(gateway, { skillId, versionId: version.version_id, zipSha256, name });
  if (version.yanked_at !== null)
    note(work, `This version was yanked on ${version.yanked_at.slice(0, 10)}. Download another one.`);
  return statement;
}

async function jsonIn(work: Work, typed: string): Promise<unknown> {
  const place = placeOf(work, typed);
  try {
    return JSON.parse(await readFile(place, "utf8"));
  } catch {
    throw misused(`${place} cannot be read as JSON. Check the path.`);
  }
}
