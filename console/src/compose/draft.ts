// Contains a ghost while it is edited: the values of the fields, and the spec they produce. The API validates it.

import type { Ghost, GhostRequest, Issue } from "../../../sdk/src/generated/operations";
import { t } from "../text/text";

export type Spec = GhostRequest["spec"];

export interface Draft {
  name: string;
  /** The current or future owner: `default`, a group, or `public`. */
  namespace: string;
  systemPrompt: string;
  /** In the format of the API: names, optionally with `@range`, and `*`. */
  skills: readonly string[];
  preload: readonly string[];
  /** JSON text; empty for no servers. */
  servers: string;
  model: string;
  /** A number, `conversation`, or empty. */
  retention: string;
  /** `off`, `shadow` or `on`; empty for the default. */
  predict: string;
  /** The parts of the spec without a field, unchanged. */
  rest: Readonly<Record<string, unknown>>;
}

export const EMPTY: Draft = {
  ...{ name: "", namespace: "default", systemPrompt: "", servers: "", model: "", retention: "" },
  predict: "",
  ...{ skills: [], preload: [], rest: {} },
};

/**
 * Returns the draft for a definition from any source. A value whose type differs from its field's stays in `rest`, and the API reports the
 * expected type.
 */
export function draftFrom(given: unknown): Draft {
  const { metadata, spec } = fieldsOf(given);
  const { name, namespace } = fieldsOf(metadata);
  const { systemPrompt, skills, preload_skills, mcpServers, model, retentionTurns, predict, ...others } =
    fieldsOf(spec);
  const rest: Record<string, unknown> = others;
  const taken = <T>(field: string, value: unknown, form: (value: unknown) => T | null, none: T): T => {
    const found = value === undefined || value === null ? none : form(value);
    if (found === null) rest[field] = value;
    return found ?? none;
  };
  return {
    name: text(name) ?? "",
    namespace: text(namespace) ?? "default",
    systemPrompt: taken("systemPrompt", systemPrompt, text, ""),
    skills: taken("skills", skills, texts, []),
    preload: taken("preload_skills", preload_skills, texts, []),
    servers: mcpServers === undefined || mcpServers === null ? "" : pretty(mcpServers),
    model: taken("model", model, text, ""),
    retention: taken(
      "retentionTurns",
      retentionTurns,
      (value) => text(value) ?? (typeof value === "number" ? `${value}` : null),
      "",
    ),
    predict: taken("predict", predict, text, ""),
    rest,
  };
}

/** Returns the draft of an existing ghost. */
export const draftOf = ({ metadata: { name, namespace }, spec }: Ghost): Draft =>
  draftFrom({ metadata: { name, namespace }, spec });

/** Returns the spec of a draft, or the reason why there is none. The gateway reports all other errors. */
export function specOf({
  systemPrompt,
  skills,
  preload,
  servers,
  model,
  retention,
  predict,
  rest,
}: Draft): Spec | Issue {
  let mcpServers: unknown;
  try {
    mcpServers = servers.trim() === "" ? undefined : JSON.parse(servers);
  } catch (error) {
    const message = t("This is not JSON: {message}", {
      message: error instanceof Error ? error.message : String(error),
    });
    return { code: "NOT_JSON", message, path: "spec.mcpServers" };
  }
  const turns = /^\d+$/.test(retention.trim()) ? Number(retention) : retention.trim();
  const spec: Record<string, unknown> = {
    systemPrompt,
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(skills.length === 0 ? {} : { skills }),
    ...(preload.length === 0 ? {} : { preload_skills: preload }),
    ...(model.trim() === "" ? {} : { model: model.trim() }),
    ...(turns === "" ? {} : { retentionTurns: turns }),
    ...(predict === "" ? {} : { predict }),
    ...rest,
  };
  // The gateway validates every field of it.
  return spec as Spec;
}

export const isIssue = (made: Spec | Issue): made is Issue => "code" in made && "message" in made && "path" in made;

/** Splits `name@range`. */
export function halves(entry: string): [name: string, range: string] {
  const at = entry.indexOf("@");
  return at === -1 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
}

export const joined = (name: string, range: string): string => (range.trim() === "" ? name : `${name}@${range.trim()}`);

/** Adds a skill to a draft unless it is already listed. */
export function withSkill(draft: Draft, name: string): Draft {
  if (draft.skills.some((entry) => halves(entry)[0] === name)) return draft;
  return { ...draft, skills: [...draft.skills, name] };
}

export const isSame = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other);

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const texts = (value: unknown): string[] | null =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : null;
