// What a version of a skill may do once it is loaded, in one object, and what two versions differ in: what a person reads before trusting
// one. Nothing is run for it, and no credential is shown.

import { canExecute } from "../access/access";
import { isJsonObject, type JsonObject } from "../json";
import { isForUsers, type Manifest, type PackageFile } from "../package/skill";
import { readServers, unwrapServers } from "../servers/entry";
import { markedUrl, variablesIn } from "../servers/template";
import type { ScriptVerdict } from "./check/verdict";
import { type Language, languageOf } from "./language";

/** What of a version is looked at. */
export interface PermittedVersion {
  /** Whose it is: only the code of public skills runs. */
  scope: string;
  manifest: Pick<
    Manifest,
    "allowedTools" | "dependencies" | "mcpServers" | "otherDependencies" | "preload" | "provider" | "tools"
  >;
  frontmatter: JsonObject;
  files: readonly Pick<PackageFile, "path">[];
  /** What publishing said of its scripts; `null` where nobody judged them. */
  scripts: readonly ScriptVerdict[] | null;
}

/** A script as a permission: how it is run here, as far as anybody knows. */
export interface PermittedScript {
  path: string;
  /** `null`: nothing here knows its language, or its first line says it. */
  language: Language | null;
  runs: ScriptVerdict["runs"] | null;
}

/** A server that the skill brings: where it leads, and what goes there. */
export interface PermittedServer {
  name: string;
  /** The host, with its port where one is written; `null` where its entry names none, for `problem`. */
  host: string | null;
  problem: string | null;
  /** The program of a stdio server, which the gateway never starts and another host might. */
  command: string | null;
  /** Names of the secrets and other variables that are filled into its URL and headers. */
  secrets: string[];
  variables: string[];
  /** Its tools that are offered; `null`: all but those in `deny`. */
  allow: string[] | null;
  deny: string[];
}

export interface SkillPermissions {
  /** Whether the gateway runs its code at all. */
  runs_code: boolean;
  /** Whether its tools may ask and tell the pages of the conversation. */
  asks_pages: boolean;
  /** Whether a model may load it by itself. */
  model_invocation: boolean;
  preload: boolean;
  /** Its own tools, by the name it declares. */
  tools: string[];
  /** What its author asks other hosts to allow, as it is written. The gateway gives nothing for it. */
  allowed_tools: string[];
  scripts: PermittedScript[];
  servers: PermittedServer[];
  /** Of all servers together, each once. */
  hosts: string[];
  secrets: string[];
  variables: string[];
  commands: string[];
  /** Skills that are loaded with it. */
  dependencies: string[];
}

/** One thing that a version may do. */
export interface Permission {
  permission: keyof SkillPermissions | "server_tools";
  value: string;
}

/** How much of what an author wrote is shown of one name. */
const SHOWN = 256;

/** What a version may do. Whoever may see that there is such a version may see this. */
export function permissionsOf(version: PermittedVersion): SkillPermissions {
  const { manifest, frontmatter } = version;
  const scripts = scriptsOf(version);
  const isProvided = manifest.tools.length > 0 && manifest.provider?.module !== undefined;
  const executes = canExecute(version.scope);
  const servers = declaredServers(manifest.mcpServers);
  return {
    runs_code: executes && (isProvided || scripts.some(({ runs }) => runs !== "nowhere")),
    asks_pages: executes && isProvided,
    model_invocation: !isForUsers(frontmatter),
    preload: manifest.preload,
    tools: each(manifest.tools.map(({ name }) => name)),
    allowed_tools: each(manifest.allowedTools),
    scripts,
    servers,
    hosts: each(servers.flatMap(({ host }) => host ?? [])),
    secrets: each(servers.flatMap(({ secrets }) => secrets)),
    variables: each(servers.flatMap(({ variables }) => variables)),
    commands: each(servers.flatMap(({ command }) => command ?? [])),
    dependencies: each(manifest.dependencies),
  };
}

/** What one version may do and the other may not. Both lists are in the order of the object's fields, then by value. */
export function permissionChanges(
  before: SkillPermissions,
  after: SkillPermissions,
): { added: Permission[]; removed: Permission[] } {
  const [older, newer] = [listed(before), listed(after)];
  const without = (from: Map<string, Permission>, others: Map<string, Permission>) =>
    [...from].filter(([key]) => !others.has(key)).map(([, one]) => one);
  return { added: without(newer, older), removed: without(older, newer) };
}

/** Every permission by itself. A server is one for its name and place, and one for the tools that it offers. */
function listed(all: SkillPermissions): Map<string, Permission> {
  const found: Permission[] = [];
  const say = (permission: Permission["permission"], values: readonly string[]) => {
    for (const value of values) found.push({ permission, value });
  };
  const flags = ["runs_code", "asks_pages", "model_invocation", "preload"] as const;
  for (const flag of flags) say(flag, all[flag] ? ["true"] : []);
  say("tools", all.tools);
  say("allowed_tools", all.allowed_tools);
  say(
    "scripts",
    all.scripts.map(({ path, runs }) => (runs === null ? path : `${path} (${runs})`)),
  );
  say(
    "servers",
    all.servers.map(({ name, host }) => (host === null ? name : `${name} at ${host}`)),
  );
  say(
    "server_tools",
    all.servers.map((server) => `${server.name}: ${toolsIn(server)}`),
  );
  for (const field of ["hosts", "secrets", "variables", "commands", "dependencies"] as const) say(field, all[field]);
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

/** Where the servers of a manifest or a ghost lead, and what goes there. */
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
      secrets: each(used.secrets),
      variables: each(used.others),
      allow: entry?.allow === undefined ? null : each(entry.allow),
      deny: each(entry?.deny ?? []),
    };
  });
}

/** Where a URL leads: never the user and the password that one may hold. */
function hostOf(template: string): string | null {
  const marked = markedUrl(template);
  const url = marked === null ? null : URL.parse(marked);
  return url === null || url.host === "" ? null : url.host;
}

/** The program without what it is given, before it or behind: there credentials like to stand. */
function programOf(command: string): string | null {
  const program = command.split(/\s+/).find((word) => word !== "" && !word.includes("="));
  return program?.slice(0, SHOWN) ?? null;
}

/** Each once, by code unit, so that two versions list the same things in the same order. */
function each(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.slice(0, SHOWN)))].sort();
}
