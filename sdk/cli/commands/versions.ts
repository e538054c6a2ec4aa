// `activate`, `yank`, `unyank` and `promote`: change the current version of a skill or publish a draft.

import { type Command, GATEWAY_OPTIONS, YES } from "../command";
import { answer, tell } from "../context";
import type { CliIssue } from "../gateway";
import { EXIT, misused } from "../problem";
import { findNamed, findVersionOf, gatewayOf, SKILLS } from "../resolve";
import { skillSchema } from "../resources";

/** Returns the warnings about test cases that passed before. */
function regressionsIn(warnings: readonly CliIssue[]): { warnings?: CliIssue[] } {
  const found = warnings.filter(({ code }) => code === "EVALS_REGRESSED");
  return found.length === 0 ? {} : { warnings: found };
}

function changing(verb: "activate" | "yank" | "unyank", summary: string, done: string): Command {
  return {
    usage: "<name> <version>",
    summary,
    options: GATEWAY_OPTIONS,
    names: [2, 2],
    async run(work, [name = "", version = ""], values) {
      const gateway = await gatewayOf(work, values);
      const { metadata } = await findNamed(gateway, name);
      const { id } = metadata.labels;
      const { version_id } = await findVersionOf(gateway, id, version);
      const now = await gateway.read(skillSchema, `${SKILLS}/${id}/versions/${version_id}/${verb}`, { method: "POST" });
      const current = now.spec.version ?? now.status.version_id;
      const { warnings } = now.status;
      answer(work, { name: metadata.name, version_id, current: now.status.version_id, ...regressionsIn(warnings) });
      tell(work, `${metadata.name} ${version} ${done}${verb === "activate" ? "" : `; it stands at ${current}`}`);
      for (const { code, message } of regressionsIn(warnings).warnings ?? []) tell(work, `  ${code}  ${message}`);
      return EXIT.done;
    },
  };
}

export const activate = changing(
  "activate",
  "Selects the current version of a skill, for example to roll back.",
  "is current now",
);
export const yank = changing("yank", "Takes a version out of use; it stays readable.", "is yanked");
export const unyank = changing("unyank", "Lets a yanked version be used again.", "can be used again");

export const promote: Command = {
  usage: "<name> [--discard]",
  summary: "Publishes your draft. --discard deletes it instead.",
  options: { ...GATEWAY_OPTIONS, discard: YES },
  names: [1, 1],
  async run(work, [typed = ""], values) {
    const name = typed.replace(/^draft:/, "");
    if (name.includes("/")) throw misused("This draft belongs to another author. Only its author can promote it.");
    const gateway = await gatewayOf(work, values);
    const path = `${SKILLS}/drafts/${encodeURIComponent(name)}`;
    if (values.discard === true) {
      await gateway.send(path, { method: "DELETE" });
      tell(work, `draft:${name} is deleted`);
      answer(work, { name, discarded: true });
      return EXIT.done;
    }
    const { status, body } = await gateway.readWithStatus(skillSchema, `${path}/promote`, { method: "POST" });
    const { metadata, spec, status: made } = body;
    tell(
      work,
      `${metadata.name} ${spec.version ?? ""} ${status === 200 ? "already exists as" : "was published as"} ${made.version_id}`,
    );
    const more = regressionsIn(made.warnings);
    for (const { code, message } of more.warnings ?? []) tell(work, `  ${code}  ${message}`);
    const told = { name: metadata.name, version_id: made.version_id, is_new: status === 201, id: metadata.labels.id };
    answer(work, { ...told, ...more });
    return EXIT.done;
  },
};
