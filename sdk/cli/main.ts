// `skillgate`: manages skills from the command line. In a checkout of the gateway, `npm run skill` starts the same program with a bench.

import { type Command, readTyped } from "./command";
import { add } from "./commands/add";
import { call, pack } from "./commands/bench";
import { check } from "./commands/check";
import { dev } from "./commands/dev";
import { diff } from "./commands/diff";
import { doctor } from "./commands/doctor";
import { env, network } from "./commands/env";
import { importSkills } from "./commands/import";
import { init } from "./commands/init";
import { login } from "./commands/login";
import { pull } from "./commands/pull";
import { push } from "./commands/push";
import { info, list, search, usage, versions } from "./commands/registry";
import { review, submit } from "./commands/review";
import { test } from "./commands/test";
import { trust } from "./commands/trust";
import { update } from "./commands/update";
import { verify } from "./commands/verify";
import { activate, promote, unyank, yank } from "./commands/versions";
import { type Checkout, note, type Streams, type Work } from "./context";
import { fillNode20 } from "./node20";
import { EXIT, Problem } from "./problem";

/** All commands by name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...{ login, init, check, dev, test, call, pack, push, promote, submit, review },
  ...{ list, search, info, versions, diff, activate, yank, unyank, usage, network, env },
  ...{ pull, verify, trust, add, update, import: importSkills, doctor },
};
/** Aliases for old names of commands. */
const ALSO: Readonly<Record<string, string>> = { new: "init" };

export interface Start extends Streams {
  args: readonly string[];
  /** Name of the program as the user started it. */
  program: string;
  folder: string;
  env: Work["env"];
  checkout: Checkout | null;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
}

/** Runs a command and returns its exit code. */
export async function main({ args, ...start }: Start): Promise<number> {
  const { program, stdout } = start;
  fillNode20();
  try {
    const [typed = "", ...rest] = args;
    const name = ALSO[typed] ?? typed;
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) {
      if (["", "-h", "--help", "help"].includes(typed)) {
        stdout.write(`${usageOf(program)}\n`);
        return typed === "" ? EXIT.usage : EXIT.done;
      }
      throw new Problem(EXIT.usage, `Unknown command: ${typed}\n${usageOf(program)}`);
    }
    const read = readTyped(start, name, command, rest);
    if (read === null) return EXIT.done;
    const work: Work = { ...start, json: read.values.json === true };
    return await command.run(work, read.names, read.values);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    note(start, error.message);
    return error.exit;
  }
}

function usageOf(program: string): string {
  const widest = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const short = (summary: string) => summary.split(/[:;.](?: |$)/, 1)[0];
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(widest)}  ${short(summary)}`);
  return `Use: ${program} <command>
${lines.join("\n")}

A skill is a folder with a SKILL.md, or a ZIP. Every command takes --json, and --help for how it is written.
Exit codes: 0 done, 1 refused or failed, 2 written wrongly, 3 no key or one that may not, 4 nothing answers, 5 not there,
6 in conflict with what is there, 130 interrupted.`;
}
