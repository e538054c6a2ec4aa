// `diff`: shows the differences between two versions of a skill, or between a folder and the published version.

import { PUBLIC_SCOPE } from "../../../src/domain/access/access";
import { permissionChanges, permissionsOf } from "../../../src/domain/code/permissions";
import type { SkillPackage } from "../../../src/domain/package/skill";
import { type Command, GATEWAY_OPTIONS } from "../command";
import { answer, tell } from "../context";
import { downloadSkill } from "../download";
import { filesOf, readSkill, skillAt } from "../folder";
import { changedFiles, unifiedDiff } from "../lines";
import { permissionLines } from "../print";
import { EXIT, Problem } from "../problem";
import { findNamed, findVersionOf, gatewayOf, readVersionsOf } from "../resolve";

export const diff: Command = {
  usage: "<name> [from] [to] | <folder> [from]",
  summary:
    "Shows the changes between two versions, or from a published version to a folder. Default: from the previous version to the current one.",
  options: GATEWAY_OPTIONS,
  names: [1, 3],
  async run(work, [typed = "", from, to], values) {
    const gateway = await gatewayOf(work, values);
    const folder = /[/\\.]/.test(typed) ? await skillAt(work, typed) : null;
    const here = folder === null ? null : await readSkill(await folder.zip(), `${folder.name}.zip`);
    if (here !== null && here.package === null)
      throw new Problem(EXIT.refused, `${typed} is not valid. \`${work.program} check ${typed}\` lists the problems.`);
    const { metadata, status } = await findNamed(gateway, here?.package?.name ?? typed);
    const { id } = metadata.labels;
    const name = metadata.name;
    const at = async (version: string) => {
      const { version_id, version: label } = await findVersionOf(gateway, id, version);
      return { label: label ?? version_id, package: await downloadSkill(gateway, id, { name, version: version_id }) };
    };
    const newer = here?.package != null ? { label: typed, package: here.package } : await at(to ?? status.version_id);
    const before = async () => {
      const all = await readVersionsOf(gateway, id);
      const place = all.findIndex(({ version_id }) => version_id === status.version_id);
      const found = all[place + 1];
      if (found === undefined)
        throw new Problem(EXIT.absent, `${name} has only one version. Name a folder to compare it with.`);
      return found.version_id;
    };
    const older = await at(from ?? (here === null ? await before() : status.version_id));
    const files = changedFiles(filesOf(older.package), filesOf(newer.package));
    const scope = metadata.labels.user_id === "0" ? PUBLIC_SCOPE : "";
    const may = (one: SkillPackage) => permissionsOf({ ...one, scope, scripts: null }, "public");
    const permissions = permissionChanges(may(older.package), may(newer.package));
    const shown = files.map(({ path, what }) => ({ path, what }));
    answer(work, { name, from: older.label, to: newer.label, files: shown, permissions });
    const patches = files.map((file) => unifiedDiff(file, older.label, newer.label));
    const text = [...permissionLines(permissions), ...patches].join("\n");
    tell(work, files.length === 0 ? `${name}: ${older.label} and ${newer.label} are identical` : text);
    return EXIT.done;
  },
};
