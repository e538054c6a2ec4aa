// All settings with defaults and descriptions: one table validates them, names problems, and generates docs/settings.md.

import { GatewayError, type Issue } from "../errors";
import { CONVERSATION_LIMITS } from "../limits";
import { parseReference, type SkillReference } from "../reference";
import { isKeyAddress, issuerSettings, missingForIssuer } from "./issuer";
import {
  choice,
  count,
  entriesOf,
  list,
  onOff,
  optionalText,
  own,
  parsedList,
  readCount,
  readTable,
  textOr,
  type ValuesOf,
} from "./kinds";
import { signInSettings } from "./sign-in";
import { missingForSignIn, signInPageSettings } from "./sign-in-page";
import { telemetrySettings } from "./telemetry";

/** Cloudflare's location hints as of 2026-11-22. In `sam`, `afr` and `me`, objects are created in the nearest supported location. */
export const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;

/** Where a conversation is created. `auto`: without a hint, near its first caller. */
export const PLACES = ["auto", ...REGIONS] as const;

/** Whose skills can run code. Each value includes those before it. */
export const CODE_SCOPES = ["public", "groups", "users"] as const;
export type CodeScopes = (typeof CODE_SCOPES)[number];

/** `required`: only reviewed content is published. `optional`: users can ask for a review. `off`: submissions are rejected. */
export const REVIEW_POLICIES = ["off", "optional", "required"] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

const CHAT_NAMES = ["x-conversation-id", "x-openwebui-chat-id"];

const origins = list((entry) =>
  /^https?:/.test(entry) && URL.parse(entry)?.origin === entry
    ? null
    : `'${entry}' is not an origin such as http://10.0.0.5:8000`,
);

const references = parsedList<SkillReference>((entry, say) => {
  const reference = parseReference(entry);
  if (reference === null) say(`'${entry}' is not a skill name or name@range`);
  return reference;
});

const networks = list((entry) =>
  isNetwork(entry) ? null : `'${entry}' is not an address or network such as 127.0.0.1, 10.0.0.0/8 or fd00::/8`,
);

function isNetwork(entry: string): boolean {
  const [address = "", bits = "0", ...rest] = entry.split("/");
  const isV6 = address.includes(":");
  const isAddress = isV6
    ? URL.canParse(`http://[${address}]`)
    : /^\d+(?:\.\d+){3}$/.test(address) && URL.parse(`http://${address}`)?.hostname === address;
  return isAddress && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isV6 ? 128 : 32);
}

const retention = own<number | "conversation">(5, (value, say) =>
  value === "conversation" ? value : readCount(value, 0, 10_000, say),
);

const secretsKey = (value: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? null : "must be 32 bytes in base64 (44 characters)";

/** High limits, against accidents and abuse. A group has the limit of a user, times `QUOTA_GROUP_FACTOR`. */
const quotaSettings = {
  QUOTA_SKILLS: count(20_000, 1, 1_000_000).describe("Skills of one user."),
  QUOTA_VERSIONS: count(50_000, 1, 10_000_000).describe("Versions of all skills of one user."),
  QUOTA_PACKAGES_MIB: count(10_240, 1, 10_485_760).describe("MiB of all packages of one user."),
  QUOTA_DATABASE_MIB: count(512, 1, 10_240).describe(
    "MiB that the skills of one user can use in the database, which holds 10 GB in total.",
  ),
  QUOTA_GHOSTS: count(2_000, 1, 1_000_000).describe(
    "Ghosts of one user. All public ghosts together have the same limit.",
  ),
  QUOTA_KEYS: count(200, 1, 100_000).describe("Active keys of one user."),
  QUOTA_FILES_MIB: count(100, 0, 1_048_576).describe(
    "MiB of stored files of scripts for one user; each file counts as at least 4 KiB. `0`: files are not stored.",
  ),
  QUOTA_GROUP_FACTOR: count(1, 1, 1_000).describe(
    "The quotas of a group for skills, versions, MiB and ghosts are those of a user times this factor.",
  ),
  DAILY_UPLOADS: count(50_000, 1, 10_000_000).describe("Uploads of one user per day (UTC)."),
  DAILY_CONVERSATIONS: count(50_000, 1, 10_000_000).describe("New conversations of one user per day (UTC)."),
  DAILY_SCRIPTS: count(50_000, 1, 10_000_000).describe("Script runs of one user per day (UTC)."),
  DAILY_KEYS: count(500, 1, 100_000).describe("New keys for one user per day (UTC)."),
};

export const SETTINGS = {
  GATEWAY_ADMIN_KEY: optionalText((value) => (value.length < 20 ? "use at least 20 characters" : null)).describe(
    "The first admin key. Without it and without stored keys, the gateway rejects every request.",
  ),
  SKILLS_ENABLED: onOff(true).describe("With `false`, lists are empty and every skill tool returns an error."),
  SKILLS_ALLOWED: references.describe(
    "Comma-separated `name` or `name@range`. Only these skills are offered. Empty: all.",
  ),
  SKILL_RETENTION_TURNS: retention.describe(
    "Turns that a loaded skill stays active, or `conversation`, unless a ghost overrides it.",
  ),
  SKILL_TOKENS_MAX: count(200_000, 1, CONVERSATION_LIMITS.activeTokens).describe(
    "Limit for the tokens of active instructions in a conversation, including preloaded skills. The limit in bytes is five times as high.",
  ),
  SKILL_LIST_TOKENS: count(2_000, 200, 32_000).describe(
    "Limit for the tokens of the skill list in a prompt. Public skills are omitted first; `find_skill` finds the rest.",
  ),
  CODE_SCOPES: choice(CODE_SCOPES, "public").describe(
    "Whose skills can run code: `public` (only public skills, which admins publish), `groups` (also the skills of a group, for its members) or `users` (also a user's own skills, for this user alone).",
  ),
  PUBLISH_BLOCK_SEVERITY: choice(["none", "high", "low"], "none").describe(
    "Packages with findings of this severity or higher cannot be published as public skills. `none` blocks nothing.",
  ),
  REVIEW: choice(REVIEW_POLICIES, "optional").describe(
    "Review of public skills. `required`: only content that an admin approved is published, and nobody approves their own. `optional`: users can submit drafts, and admins can also publish directly. `off`: submissions are rejected. See [Review](review.md).",
  ),
  REVIEW_GROUPS: choice(REVIEW_POLICIES, "optional").describe(
    "The same for groups that have not chosen a value. `required` binds every group.",
  ),
  CONVERSATION_IDLE_DAYS: count(30, 1, 3650).describe("Days without use after which a conversation is deleted."),
  DRAFT_DAYS: count(14, 1, 365).describe("Days after its last push at which a draft expires."),
  FILE_DAYS: count(7, 1, 3650).describe(
    "Days that a file written by a script is stored, unless its conversation is deleted first.",
  ),
  CONVERSATION_REGION: choice(PLACES, "auto").describe(
    "Where conversations are created (they never move): `auto` (near the first caller), `wnam`, `enam`, `sam`, `weur`, `eeur`, `apac`, `apac-ne`, `apac-se`, `oc`, `afr` or `me`. A hint for speed, not a guarantee of data location.",
  ),
  MCP_REGISTRY_URL: textOr("https://registry.modelcontextprotocol.io", (value) =>
    value === "off" || URL.parse(value)?.origin === value
      ? null
      : "must be `off` or an origin such as https://registry.example.com",
  ).describe(
    "The registry (API v0.1) that a search for MCP servers asks, without a path. Only the text of the search is sent. `off`: only the curated list is searched.",
  ),
  MCP_CHECK_MINUTES: count(15, 0, 1_440).describe(
    "Minutes between two scheduled checks of each MCP server of the gateway. A server that is down is checked every 5 minutes. `0`: no checks.",
  ),
  MCP_CONNECT_TIMEOUT_S: count(30, 1, 300).describe(
    "Seconds to connect to an MCP server or to read its list of tools, unless the server's entry overrides it.",
  ),
  MCP_CALL_TIMEOUT_S: count(60, 1, 300).describe(
    "Seconds for a call of an MCP tool, unless the server's entry overrides it.",
  ),
  SECRETS_KEY: optionalText(secretsKey).describe(
    "Encryption key for stored secrets: 32 random bytes in base64. The key that signs versions is derived from it. Without it, no secret can be stored and nothing is signed.",
  ),
  SECRETS_KEYS_PREVIOUS: list(secretsKey).describe(
    "Comma-separated earlier values of `SECRETS_KEY`, which still decrypt and whose signatures are valid. Remove one after `POST /api/v1/secrets/rotate`.",
  ),
  ALLOWED_ORIGINS: list().describe(
    "Comma-separated origins that browsers can call the gateway from (CORS). Empty: none.",
  ),
  LOG_REQUESTS: onOff(true).describe(
    "Writes one line of JSON per request to the log, without paths, users or content. `npm start` and `npm run dev` turn it off by default.",
  ),
  EXECUTOR_URL: optionalText((value) => (isKeyAddress(value, true) ? null : "use an https address")).describe(
    "The https URL of an executor, which runs scripts that need packages or programs. See [Executor](executor.md).",
  ),
  EXECUTOR_KEY: optionalText((value) => (value.length < 20 ? "use at least 20 characters" : null)).describe(
    "The key that the gateway sends to `EXECUTOR_URL`.",
  ),
  EXECUTOR_SCOPES: choice(CODE_SCOPES, "public").describe(
    "Whose skills can use the executor, with the values of `CODE_SCOPES`. Code there runs natively, so a kernel separates it from the machine, and not V8.",
  ),
  EXECUTOR_PROBLEM: optionalText(() => null).describe(
    "Why there is no executor, and what to do. `/health` returns it. `npm start -- --executor` sets it if runs cannot be confined.",
  ),
  EXECUTOR_ADVICE: optionalText(() => null).describe(
    "What to install to have an executor. `/health` returns it, and is still `ok`. `npm start` sets it if bubblewrap does not work on the machine.",
  ),
  METRICS: choice(["on", "off"], "off").describe(
    "With `on`, the gateway counts events in one Durable Object, and `/metrics` returns them to admins as OpenMetrics. `npm start` and `npm run dev` turn it on by default.",
  ),
  INSIGHT_QUERIES: choice(["on", "off"], "off").describe(
    "With `on`, the gateway stores searches of models that found no skill, for admins: at most 200 characters, without secrets, mail addresses and long numbers, for 30 days. They are exported and erased with the user.",
  ),
  RATE_LIMITS: onOff(true).describe(
    "Limits requests per IP address and per key and user, and invalid keys per IP address, if the platform's rate counters are bound.",
  ),
  TRUSTED_PROXIES: networks.describe(
    "Comma-separated addresses or networks of reverse proxies in front of `npm run serve`. Only from them are `X-Forwarded-For` and `X-Forwarded-Proto` read. Empty: none. Cloudflare and `npm start` ignore it.",
  ),
  GROUPS_OPEN: onOff(false).describe(
    "With `true`, every user can create groups. The skills of a group precede public skills for its members.",
  ),
  DEMO: choice(["on", "off"], "on").describe(
    "With `off`, the console has no playground, and `/demo`, which redirects there, returns 404.",
  ),
  CONSOLE: choice(["on", "off"], "on").describe(
    "With `off`, there is no console: `/console` returns 404, and `/` is a page with a few links.",
  ),
  PUBLIC_CATALOG: choice(["off", "on", "index"], "off").describe(
    "With `on`, `/skills` shows the open skills to everybody without sign-in, and asks search engines not to list these pages. `index` lets search engines list them and adds `/sitemap.xml`. See [Catalog pages](catalog-pages.md).",
  ),
  IDENTITY_MEMORY_S: count(10, 0, 60).describe(
    "Seconds that an isolate can cache the identity of a caller. A revoked key or membership loses access everywhere within this time. `0`: the primary database is asked for every request.",
  ),
  MODEL_HOSTS: origins.describe(
    "Comma-separated origins, such as `http://10.0.0.5:8000`, that models of the gateway can use in addition to public https hosts. Does not apply to models of users.",
  ),
  CHAT_TOKENS_DAY: count(20_000_000, 0, 1_000_000_000_000).describe(
    "Tokens that the models of the chat endpoint can read and write for one user per day (UTC). Running answers are completed.",
  ),
  CHAT_STREAMS: count(32, 1, 100_000).describe(
    "Concurrent requests of one user at the chat endpoint, streamed or not.",
  ),
  CHAT_CONVERSATION_HEADERS: own(CHAT_NAMES, (value) => {
    const names = entriesOf(value);
    return names.length === 0 ? CHAT_NAMES : names;
  }).describe(
    "Comma-separated headers in which a front end sends the id of a chat to the chat endpoint. Empty: `X-Conversation-Id` and `X-OpenWebUI-Chat-Id`.",
  ),
  CHAT_USER_HEADER: optionalText((value) =>
    /^[A-Za-z0-9-]{1,64}$/.test(value) ? null : "is not a header name",
  ).describe(
    "A header, such as `X-OpenWebUI-User-Id`, in which a front end sends its user to the chat endpoint. Accepted only from keys with `act_as`, like `On-Behalf-Of`. Unset: none.",
  ),
  CHAT_USER_PREFIX: textOr("", (value) =>
    /^[A-Za-z0-9._:@+=-]{0,64}$/.test(value) ? null : "contains characters that are not allowed in user ids",
  ).describe("Prefix for the value of `CHAT_USER_HEADER`, such as `owui:`. It limits a front end to its own users."),
  DEMO_MODEL: choice(["on", "off"], "off").describe(
    "With `on`, the chat endpoint has the scripted model `demo` even when deployed. A local gateway always has it.",
  ),
  ...quotaSettings,
  ...issuerSettings,
  ...signInSettings,
  ...signInPageSettings,
  ...telemetrySettings,
};

export type Settings = ValuesOf<typeof SETTINGS>;
export type QuotaSettings = Pick<Settings, keyof typeof quotaSettings>;

/** Reads settings from variables. Unknown names are problems too, because a misspelled setting would silently use its default. */
export function parseSettings(variables: Record<string, string>): { settings: Settings | null; issues: Issue[] } {
  const { values, problems } = readTable(SETTINGS, variables);
  const forIssuer = missingForIssuer(values).map((name) => ({ name, problem: "an issuer needs it" }));
  const invalid = [...problems, ...forIssuer, ...missingForSignIn(values)];
  const issues = [
    ...invalid.map(({ name, problem }) => ({ code: "INVALID_SETTING", message: `${name}: ${problem}`, path: name })),
    ...Object.keys(variables)
      .filter((name) => !Object.hasOwn(SETTINGS, name))
      .map((name) => ({
        code: "UNKNOWN_SETTING",
        message: `'${name}' is not a setting. Check its spelling, or remove it.`,
        path: name,
      })),
  ];
  return { settings: issues.length === 0 ? values : null, issues };
}

const read = new WeakMap<object, ReturnType<typeof parseSettings>>();

/**
 * Returns the settings among a Worker's bindings. Throws `unavailable` with the name of every invalid one, so that a misconfigured gateway
 * serves nothing. Names that begin with two underscores belong to the runtime (the test pool sets one).
 */
export function settingsFrom(bindings: object): Settings {
  let result = read.get(bindings);
  if (result === undefined) {
    const variables = Object.entries(bindings).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[0].startsWith("__"),
    );
    result = parseSettings(Object.fromEntries(variables));
    read.set(bindings, result);
  }
  if (result.settings === null) {
    throw new GatewayError(
      "unavailable",
      "MISCONFIGURED",
      "The settings of the gateway are not valid. Its operator must fix them.",
      {
        issues: result.issues,
      },
    );
  }
  return result.settings;
}
