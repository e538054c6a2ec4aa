// `dev`: watches a skill's folder, checks every save and pushes it as a draft to an open conversation.

import { watch } from "node:fs";
import * as z from "zod";
import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, note, tell, type Work } from "../context";
import { readSkill, skillAt } from "../folder";
import type { Gateway } from "../gateway";
import { issueLines } from "../print";
import { EXIT, Problem } from "../problem";
import { gatewayOf } from "../resolve";
import { pushDraft, type Where } from "./push";

/** Delay after the last change. Editors write a file several times per save. */
const QUIET_MS = 150;

const conversationSchema = z.looseObject({
  id: z.string(),
  settings: z.looseObject({ additional_skills: z.array(z.unknown()).optional() }).optional(),
});
const turnSchema = z.looseObject({
  active: z.array(z.looseObject({ skill: z.string() })),
  warnings: z.array(z.looseObject({ code: z.string(), message: z.string() })),
});

export const dev: Command = {
  usage: "[skill] [--conversation <id>] [--public] [--users <a,b>] [--local] [--once]",
  summary:
    "Watches a folder. Each save is checked, pushed as your draft, and used by the conversation. --local only checks. --once ends after the first round. By default, code runs only in an admin's --public draft.",
  options: { ...GATEWAY_OPTIONS, conversation: TEXT, users: TEXT, public: YES, local: YES, once: YES },
  names: [0, 1],
  async run(work, [name = "."], values) {
    const skill = await skillAt(work, name);
    if (!skill.isFolder) throw new Problem(EXIT.usage, `${name} is not a folder. Name the folder of a skill.`);
    const gateway = values.local === true ? null : await gatewayOf(work, values);
    const where = { group: undefined, isPublic: values.public === true, users: option(values, "users") };
    const conversation = option(values, "conversation") ?? `dev-${skill.name}`.replaceAll(/[^A-Za-z0-9._:-]/g, "-");
    const target: Target = { gateway, where, conversation, pushed: null };
    const round = () => once(work, skill, target);
    if (values.once === true) return round();
    return watched(work, skill.place, round, () => tell(work, `watching ${skill.place} (stop with Ctrl-C)`));
  },
};

interface Target {
  gateway: Gateway | null;
  where: Where;
  conversation: string;
  /** Digest of the content pushed last. A save without changes is not pushed. */
  pushed: string | null;
}

async function once(work: Work, skill: Awaited<ReturnType<typeof skillAt>>, target: Target): Promise<number> {
  const { gateway, where, conversation } = target;
  const at = new Date().toLocaleTimeString();
  const zip = await skill.zip();
  const { package: found, issues, warnings } = await readSkill(zip, `${skill.name}.zip`);
  if (found === null) {
    note(work, [`${at}  not valid; the draft was not changed`, ...issueLines("issues", issues)].join("\n"));
    answer(work, { valid: false, issues });
    return EXIT.refused;
  }
  if (gateway === null) {
    tell(work, [`${at}  ${found.name} is valid`, ...issueLines("warnings", warnings)].join("\n"));
    answer(work, { valid: true, warnings });
    return EXIT.done;
  }
  if (found.digest === target.pushed) return EXIT.done;
  const pushed = await pushDraft(gateway, { name: skill.name, zip: async () => zip }, where);
  const previewText = await preview(gateway, conversation, `draft:${found.name}`);
  target.pushed = found.digest;
  tell(work, `${at}  ${pushed.text}\n  conversation ${conversation}: ${previewText}`);
  answer(work, { ...pushed.told, conversation });
  return EXIT.done;
}

/** Adds the draft to the conversation and begins a turn, which updates all pages connected to it. */
async function preview(gateway: Gateway, conversation: string, reference: string): Promise<string> {
  const path = `/api/v1/conversations/${encodeURIComponent(conversation)}`;
  const { settings } = await gateway.read(conversationSchema, "/api/v1/conversations", {
    method: "POST",
    json: { id: conversation },
  });
  const before = settings?.additional_skills ?? [];
  if (!before.includes(reference))
    await gateway.read(conversationSchema, "/api/v1/conversations", {
      method: "POST",
      json: { id: conversation, additional_skills: [...before, reference] },
    });
  const { active, warnings } = await gateway.read(turnSchema, `${path}/turns`, { method: "POST", json: {} });
  const isActive = active.some(({ skill }) => skill === reference);
  const said = warnings.map(({ code, message }) => `\n  ${code}  ${message}`).join("");
  return `${isActive ? `${reference} is active in it` : `${reference} is not active in it`}${said}`;
}

/**
 * Runs a round now and after each change of the folder, one at a time, until the process ends. If the first round throws, the command ends.
 * Later problems are printed and watching continues, unless the key was rejected.
 */
function watched(work: Work, folder: string, round: () => Promise<number>, begun: () => void): Promise<never> {
  return new Promise((_, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (error: unknown) => {
      watcher.close();
      reject(error);
    };
    // Starts before the first round, so that a save during that round is not missed.
    const watcher = watch(folder, { recursive: true }, (_event, file) => {
      if (file !== null && /(^|[/\\])(\.|node_modules)/.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(round).then(
          () => {},
          (error: unknown) => {
            if (error instanceof Problem && error.exit !== EXIT.key) note(work, error.message);
            else end(error);
          },
        );
      }, QUIET_MS);
    });
    watcher.once("error", end);
    let running = round().then(begun);
    running.catch(end);
  });
}
