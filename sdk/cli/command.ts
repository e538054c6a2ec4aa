// Defines commands and parses their options. Unknown options are rejected.

import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Work } from "./context";
import { EXIT, misused, Problem } from "./problem";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Record<string, string | boolean | undefined>;

export interface Command {
  /** Usage line without the command's name. */
  usage: string;
  /** One-line summary for the help text. */
  summary: string;
  options?: Options;
  /** Minimum and maximum number of positional arguments. */
  names: readonly [number, number];
  run(work: Work, names: readonly string[], values: Values): Promise<number>;
}

const text = { type: "string" } as const;
const yes = { type: "boolean" } as const;
/** Options that select the gateway and the key. The variables GATEWAY_URL and GATEWAY_KEY are used if they are missing. */
export const GATEWAY_OPTIONS = { url: text, key: text, port: text };
export { text as TEXT, yes as YES };

/** Parses the arguments after the command's name. */
export function readTyped(
  { program, stdout }: Pick<Work, "program" | "stdout">,
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
      stdout.write(`${usage}\n\n${command.summary}\n`);
      return null;
    }
    const [least, most] = command.names;
    if (typed.positionals.length < least) throw misused("Argument missing.");
    if (typed.positionals.length > most) throw misused(`Unexpected argument: ${typed.positionals[most]}`);
    return { names: typed.positionals, values };
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.exit, `${error.message}\n${usage}`);
    if (error instanceof TypeError) throw new Problem(EXIT.usage, `${error.message}\n${usage}`);
    throw error;
  }
}

/** Returns the value of an option, or `undefined` if it is missing. */
export function option(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}
