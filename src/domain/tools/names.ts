// Names under which tools of skills are offered. Models' APIs accept 64 plain characters, and no name twice.

import { sha256Hex } from "../digest";

/** An offered tool. */
export interface NamedTool {
  /** Empty if no skill offers it. */
  skill: string;
  /** Its own name: `tool`, or `server__tool`. */
  own: string;
  /** A preferred name other than its own, used if it is free. */
  bare?: string | undefined;
  /** Whether it has its bare name or is omitted. */
  bareOnly?: boolean | undefined;
}

const TOOL_NAME_CHARS = 64;

/**
 * Assigns names to tools, in order of their skills' activation: a free name stays, a taken one becomes `skill__tool`, and one that is too
 * long or still collides ends with `_` and six digits of a digest. Unchanged names are assigned first: `a_b` keeps its name even after
 * `a.b`. `null`: its only possible name is taken.
 *
 * @param taken names that are not available: the gateway's own, and those of current activations
 */
export async function nameTools(tools: readonly NamedTool[], taken: ReadonlySet<string>): Promise<(string | null)[]> {
  const used = new Set(taken);
  const names = new Map<NamedTool, string>();
  const isPlain = ({ own, bare = own }: NamedTool) => plain(bare) === bare;
  for (const tool of [...tools.filter(isPlain), ...tools.filter((other) => !isPlain(other))]) {
    let name = candidatesOf(tool).find((candidate) => candidate.length <= TOOL_NAME_CHARS && !used.has(candidate));
    if (name === undefined && tool.bareOnly) continue;
    for (let salt = 0; name === undefined; salt++) {
      const digest = (await sha256Hex(JSON.stringify([tool.skill, tool.own, salt]))).slice(0, 6);
      const short = `${plain(tool.own).slice(0, TOOL_NAME_CHARS - 7)}_${digest}`;
      if (!used.has(short)) name = short;
    }
    used.add(name);
    names.set(tool, name);
  }
  return tools.map((tool) => names.get(tool) ?? null);
}

function candidatesOf({ skill, own, bare, bareOnly }: NamedTool): string[] {
  const first = bare === undefined ? [] : [bare];
  if (bareOnly) return first.map(plain);
  return [...first, own, ...(skill === "" ? [] : [`${skill}__${own}`])].map(plain);
}

function plain(name: string): string {
  return [...name].map((character) => (/[a-zA-Z0-9_-]/.test(character) ? character : "_")).join("") || "_";
}
