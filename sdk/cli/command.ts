// A command: its name, how it is written, and what it does. Options are read strictly: what is not known is refused.

import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Work } from "./context";
import { EXIT, misused, Problem } from "./problem";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Record<string, string | boolean | undefined>;

export interface Command {
  /** After the name. */
  usage: string;
  /** In one line. */
  summary: string;
  options?: Options;
  /** How many names it takes, at least and at most. */
  names: readonly [number, number];
  run(work: Work, names: readonly string[], values: Values): Promise<number>;
}

const text = { type: "string" } as const;
const yes = { type: "boolean" } as const;
/** Which gateway, and as whom: also GATEWAY_URL and GATEWAY_KEY. */
export const GATEWAY_OPTIONS = { url: text, key: text, port: text };
export { text as TEXT, yes as YES };

/** What was typed after the command's name. */
export function readTyped(
  program: string,
  name: string,
  command: Command,
  args: string[],
): { names: string[]; values: Values } | null {
  const usage = `Use: ${program} ${name} ${command.usage}`.trim();
  try {
    const options = { ...command.options, json: yes, help: { type: "boolean", short: "h" } } as const;
    const typed = parseArgs({ args, allowPositionals: true, options });
    const values: Values = Object.fromEntries(
      Object.entries(typed.values).flatMap(([key, value]) => (Array.isArray(value) ? [] : [[key, value]])),
    );
    if (values.help === true) {
      process.stdout.write(`${usage}\n\n${command.summary}\n`);
      return null;
    }
    const [least, most] = command.names;
    if (typed.positionals.length < least) throw misused("Something is missing.");
    if (typed.positionals.length > most) throw misused(`What is ${typed.positionals[most]}?`);
    return { names: typed.positionals, values };
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.exit, `${error.message}\n${usage}`);
    if (error instanceof TypeError) throw new Problem(EXIT.usage, `${error.message}\n${usage}`);
    throw error;
  }
}

/** An option that has a value, where it was typed. */
export function option(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}
