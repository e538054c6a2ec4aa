// Lists the permissions of a skill version, and the differences between two versions, for review before a user trusts one. Runs no code and
// returns no credentials.

import { canExecute } from "../access/access";
import { isJsonObject, type JsonObject } from "../json";
import { isForUsers, type Manifest, type PackageFile } from "../package/skill";
import { readServers, unwrapServers } from "../servers/entry";
import { markedUrl, variablesIn } from "../servers/template";
import type { CodeScopes } from "../settings/settings";
import type { ScriptVerdict } from "./check/verdict";
import { type Language, languageOf } from "./language";

/** The parts of a version that are read. */
export interface PermittedVersion {
  /** The owner. It decides whether code runs. */
  scope: string;
  manifest: Pick<
    Manifest,
    | "allowedTools"
    | "dependencies"
    | "env"
    | "mcpServers"
    | "network"
    | "otherDependencies"
    | "preload"
    | "provider"
    | "tools"
  >;
  frontmatter: JsonObject;
  files: readonly Pick<PackageFile, "path">[];
  /** The script verdicts from publishing. `null` if there are none. */
  scripts: readonly ScriptVerdict[] | null;
}

/** A script, and how it runs in the gateway, if this is known. */
export interface PermittedScript {
  path: string;
  /** `null`: unknown language, or declared in the file's first line. */
  language: Language | null;
  runs: ScriptVerdict["runs"] | null;
}

/** A server that the skill declares, with its destination and the data sent to it. */
export interface PermittedServer {
  name: string;
  /** The host, with the port if one is written. `null` if the entry has none, see `problem`. */
  host: string | null;
  problem: string | null;
  /** The program of a stdio server. The gateway never starts it, but another host might. */
  command: string | null;
  /** Names of the secrets and other variables used in its URL and headers. */
  secrets: string[];
  variables: string[];
  /** Its tools that are offered. `null`: all except those in `deny`. */
  allow: string[] | null;
  deny: string[];
}

export interface SkillPermissions {
  /** Whether the gateway runs its code. */
  runs_code: boolean;
  /** Whether its tools can send questions and messages to the pages of the conversation. */
  asks_pages: boolean;
  /** Whether a model can load the skill without the user. */
  model_invocation: boolean;
  preload: boolean;
  /** Names of the tools that it declares. */
  tools: string[];
  /** The tools that the author wants other hosts to allow, verbatim. The gateway grants nothing for it. */
  allowed_tools: string[];
  scripts: PermittedScript[];
  servers: PermittedServer[];
  /** Hosts that its code calls after someone who manages the skill has approved them. */
  network: string[];
  /** Variables whose values are sent to these hosts. The code receives placeholders. */
  env: string[];
  /** Hosts of all servers, without duplicates. */
  hosts: string[];
  secrets: string[];
  variables: string[];
  commands: string[];
  /** Skills that are loaded with it. */
  dependencies: string[];
}

/** One permission of a version. */
export interface Permission {
  permission: keyof SkillPermissions | "server_tools";
  value: string;
}

/** Maximum length of a displayed name. */
const SHOWN = 256;

/**
 * Returns the permissions of a version. Every user who can see the version can see them.
 *
 * @param codeScopes whose skills can run code
 */
export function permissionsOf(version: PermittedVersion, codeScopes: CodeScopes): SkillPermissions {
  const { manifest, frontmatter } = version;
  const scripts = scriptsOf(version);
  const isProvided = manifest.tools.length > 0 && manifest.provider?.module !== undefined;
  const executes = canExecute(version.scope, codeScopes);
  const servers = declaredServers(manifest.mcpServers);
  return {
    runs_code: executes && (isProvided || scripts.some(({ runs }) => runs !== "nowhere")),
    asks_pages: executes && isProvided,
    model_invocation: !isForUsers(frontmatter),
    preload: manifest.preload,
    tools: uniqueSorted(manifest.tools.map(({ name }) => name)),
    allowed_tools: uniqueSorted(manifest.allowedTools),
    scripts,
    servers,
    network: uniqueSorted(manifest.network ?? []),
    env: uniqueSorted(manifest.env ?? []),
    hosts: uniqueSorted(servers.flatMap(({ host }) => host ?? [])),
    secrets: uniqueSorted(servers.flatMap(({ secrets }) => secrets)),
    variables: uniqueSorted(servers.flatMap(({ variables }) => variables)),
    commands: uniqueSorted(servers.flatMap(({ command }) => command ?? [])),
    dependencies: uniqueSorted(manifest.dependencies),
  };
}

/** Returns the permissions that only one of the two versions has. Both lists are in the order of the object's fields, then by value. */
export function permissionChanges(
  before: SkillPermissions,
  after: SkillPermissions,
): { added: Permission[]; removed: Permission[] } {
  const [older, newer] = [permissionEntries(before), permissionEntries(after)];
  const without = (from: Map<string, Permission>, others: Map<string, Permission>) =>
    [...from].filter(([key]) => !others.has(key)).map(([, one]) => one);
  return { added: without(newer, older), removed: without(older, newer) };
}

/** Returns every permission as a separate entry. A server has one entry for its name and host, and one for its tools. */
function permissionEntries(all: SkillPermissions): Map<string, Permission> {
  const found: Permission[] = [];
  const addEntries = (permission: Permission["permission"], values: readonly string[]) => {
    for (const value of values) found.push({ permission, value });
  };
  const flags = ["runs_code", "asks_pages", "model_invocation", "preload"] as const;
  for (const flag of flags) addEntries(flag, all[flag] ? ["true"] : []);
  addEntries("tools", all.tools);
  addEntries("allowed_tools", all.allowed_tools);
  addEntries(
    "scripts",
    all.scripts.map(({ path, runs }) => (runs === null ? path : `${path} (${runs})`)),
  );
  addEntries(
    "servers",
    all.servers.map(({ name, host }) => (host === null ? name : `${name} at ${host}`)),
  );
  addEntries(
    "server_tools",
    all.servers.map((server) => `${server.name}: ${toolsIn(server)}`),
  );
  for (const field of ["network", "env", "hosts", "secrets", "variables", "commands", "dependencies"] as const)
    addEntries(field, all[field]);
  return new Map(found.map((one) => [JSON.stringify([one.permission, one.value]), one]));
}

function toolsIn({ allow, deny }: PermittedServer): string {
  const but = deny.length === 0 ? "" : ` but ${deny.join(", ")}`;
  return allow === null ? `all tools${but}` : `only ${allow.join(", ") || "none"}${but}`;
}

function scriptsOf({ files, scripts }: PermittedVersion): PermittedScript[] {
  const judged = new Map((scripts ?? []).map((verdict) => [verdict.path, verdict.runs]));
  const paths = files.map(({ path }) => path).filter((path) => judged.has(path) || languageOf(path) !== null);
  return paths.map((path) => ({ path, language: languageOf(path), runs: judged.get(path) ?? null }));
}

/** Returns the destinations of the servers in a manifest or ghost, and the data sent to them. */
export function declaredServers(wrapped: JsonObject): PermittedServer[] {
  const { servers: raw } = unwrapServers(wrapped);
  return readServers(raw, { kind: "skill", skill: "" }).map(({ name, entry, problem }) => {
    const { command } = isJsonObject(raw[name]) ? raw[name] : {};
    const templates = entry === null ? [] : [entry.url, ...Object.values(entry.headers ?? {})];
    const host = entry === null ? null : hostOf(entry.url);
    const used = variablesIn(templates);
    return {
      name: name.slice(0, SHOWN),
      host,
      problem: problem ?? (host === null ? "its URL has no host" : null),
      command: typeof command === "string" ? programOf(command) : null,
      secrets: uniqueSorted(used.secrets),
      variables: uniqueSorted(used.others),
      allow: entry?.allow === undefined ? null : uniqueSorted(entry.allow),
      deny: uniqueSorted(entry?.deny ?? []),
    };
  });
}

/** Returns the host of a URL, without any user name and password. */
function hostOf(template: string): string | null {
  const marked = markedUrl(template);
  const url = marked === null ? null : URL.parse(marked);
  return url === null || url.host === "" ? null : url.host;
}

/** Returns the program of a command without its environment and arguments, which often contain credentials. */
function programOf(command: string): string | null {
  const program = command.split(/\s+/).find((word) => word !== "" && !word.includes("="));
  return program?.slice(0, SHOWN) ?? null;
}

/** Returns the values without duplicates, sorted by code unit, so that two versions list them in the same order. */
function uniqueSorted(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.slice(0, SHOWN)))].sort();
}
