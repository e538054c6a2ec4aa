// Metric families and their labels. Labels never contain users, skills, tools or conversations, because metrics outlive them.

/** Maximum number of distinct values of a family's first label; further ones are counted as `OTHER`. */
const NAMES = { codes: 60, models: 32, servers: 64 } as const;

/** Label for values above the limit. */
export const OTHER = "other";

/** Upper bounds of a histogram's buckets, in seconds; the last bucket has none. */
export const BUCKETS = [0.05, 0.25, 1, 5, 30] as const;

interface Family {
  type: "counter" | "histogram";
  help: string;
  labels: readonly string[];
  /** Maximum number of values of the first label; absent if the gateway defines the values. */
  names?: number;
}

/** In output order. Histogram values are seconds. */
export const FAMILIES = {
  requests: {
    type: "counter",
    help: "Responses, by edge and status class.",
    labels: ["edge", "status"],
  },
  refusals: {
    type: "counter",
    help: "Error responses, by the code of the error.",
    labels: ["code"],
    names: NAMES.codes,
  },
  conversations: { type: "counter", help: "Created conversations.", labels: [] },
  skill_loads: { type: "counter", help: "Skills that models loaded, without their dependencies.", labels: [] },
  scripts: {
    type: "counter",
    help: "Script runs, by language and outcome.",
    labels: ["language", "outcome"],
  },
  model_calls: {
    type: "counter",
    help: "Requests of the chat endpoint to models: by name for the gateway's models, together for those of users and groups.",
    labels: ["model", "outcome"],
    names: NAMES.models,
  },
  model_tokens: {
    type: "counter",
    help: "Tokens of these requests, as the models report them.",
    labels: ["model"],
    names: NAMES.models,
  },
  upstream_calls: {
    type: "counter",
    help: "Tool calls to MCP servers: by name for the gateway's servers, together for those of users, groups, ghosts and skills.",
    labels: ["server", "outcome"],
    names: NAMES.servers,
  },
  upstream_seconds: {
    type: "histogram",
    help: "Duration of these calls in seconds.",
    labels: ["server"],
    names: NAMES.servers,
  },
  upstream_checks: {
    type: "counter",
    help: "Scheduled checks of the gateway's MCP servers, one for each address.",
    labels: ["server", "outcome"],
    names: NAMES.servers,
  },
  trace_spans: {
    type: "counter",
    help: "Spans of traces, by outcome.",
    labels: ["outcome"],
  },
  questions_asked: { type: "counter", help: "Questions to pages.", labels: [] },
  questions_ended: { type: "counter", help: "Ended questions, by state.", labels: ["state"] },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

type Texts<L extends readonly string[]> = { readonly [K in keyof L]: string };
type LabelsOf<F extends FamilyName> = Texts<(typeof FAMILIES)[F]["labels"]>;

/** Adds one or `by` to a counter, or observes seconds in a histogram. Synchronous; never fails. */
export type Count = <F extends FamilyName>(family: F, labels: LabelsOf<F>, by?: number) => void;

/** Returns the family with this name; `null` if there is none, for example one of an earlier gateway. */
export function familyNamed(name: string): Family | null {
  return Object.entries<Family>(FAMILIES).find(([known]) => known === name)?.[1] ?? null;
}

/** Returns the label of an owned resource: the gateway's by name, others by kind of owner. */
export function metricLabelFor(kind: string, name: string): string {
  return kind === "gateway" ? name : `(${kind})`;
}

/** Edges by path prefix; the first match counts. */
const EDGES: readonly [prefix: RegExp, edge: string][] = [
  [/^\/mcp\/servers(\/|$)/, "proxy"],
  [/^\/mcp(\/|$)/, "mcp"],
  [/^\/(openai|anthropic)\/v1\/skills(\/|$)|^\/(s|t|\.well-known)(\/|$)|^\/api\/search$/, "doors"],
  [/^\/(openai|anthropic)(\/|$)/, "chat"],
  [/^\/api(\/|$)/, "api"],
  [/^\/console(\/|$)/, "console"],
  [/^\/(oauth|register|authorize|token)(\/|$)/, "sign_in"],
];

/** Returns the label for a request's path. */
export function edgeAt(path: string): string {
  return EDGES.find(([prefix]) => prefix.test(path))?.[1] ?? OTHER;
}
