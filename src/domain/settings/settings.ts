// Every setting, its default and its meaning: one table validates them, names what is wrong and makes docs/settings.md.

import { GatewayError, type Issue } from "../errors";
import { CONVERSATION_LIMITS } from "../limits";
import { parseReference, type SkillReference } from "../reference";
import { issuerSettings, missingForIssuer } from "./issuer";
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

/** Cloudflare's hints for where an object is made, as of 2026-11-22. In `sam`, `afr` and `me` one is made in the nearest place instead. */
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

/** Where a conversation is made. `auto`: without a hint, which makes it near its first caller. */
export const PLACES = ["auto", ...REGIONS] as const;

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

const retention = own<number | "conversation">(5, (value, say) =>
  value === "conversation" ? value : readCount(value, 0, 10_000, say),
);

const secretsKey = (value: string) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) ? null : "must be 32 bytes in base64 (44 characters)";

/** Generous: they are for accidents and abuse. A group has as much as a user, `QUOTA_GROUP_FACTOR` times. */
const quotaSettings = {
  QUOTA_SKILLS: count(20_000, 1, 1_000_000).describe("Skills that one user may have."),
  QUOTA_VERSIONS: count(50_000, 1, 10_000_000).describe("Versions that the skills of one user may have together."),
  QUOTA_PACKAGES_MIB: count(10_240, 1, 10_485_760).describe("MiB that the packages of all these versions may take."),
  QUOTA_DATABASE_MIB: count(512, 1, 10_240).describe(
    "MiB that they may take of the database, which holds 10 GB in all.",
  ),
  QUOTA_GHOSTS: count(2_000, 1, 1_000_000).describe("Ghosts that one user may have; public ones are as many together."),
  QUOTA_KEYS: count(200, 1, 100_000).describe("Live keys that one user may have."),
  QUOTA_FILES_MIB: count(100, 0, 1_048_576).describe(
    "MiB of files that scripts of skills have left and that are kept for one user; each counts as 4 KiB at least. `0`: none is kept.",
  ),
  QUOTA_GROUP_FACTOR: count(1, 1, 1_000).describe(
    "How many times as much of skills, versions, MiB and ghosts a group may have as a user, for all its members together.",
  ),
  DAILY_UPLOADS: count(50_000, 1, 10_000_000).describe("Uploads that one user may make in a day (UTC)."),
  DAILY_CONVERSATIONS: count(50_000, 1, 10_000_000).describe("Conversations that one user may begin in a day."),
  DAILY_SCRIPTS: count(50_000, 1, 10_000_000).describe("Scripts of skills that one user may have run in a day."),
  DAILY_KEYS: count(500, 1, 100_000).describe("Keys that may be made for one user in a day."),
};

export const SETTINGS = {
  GATEWAY_ADMIN_KEY: optionalText((value) => (value.length < 20 ? "use at least 20 characters" : null)).describe(
    "The first admin key. Without it and without stored keys the gateway refuses every request.",
  ),
  SKILLS_ENABLED: onOff(true).describe("The kill switch: with `false` lists are empty and every skill tool refuses."),
  SKILLS_ALLOWED: references.describe("Comma-separated `name` or `name@range`; only these are offered. Empty: all."),
  SKILL_RETENTION_TURNS: retention.describe(
    "Turns a loaded skill stays, or `conversation`, unless a ghost says otherwise.",
  ),
  SKILL_TOKENS_MAX: count(200_000, 1, CONVERSATION_LIMITS.activeTokens).describe(
    "Tokens of instructions that may be active in one conversation, preloaded ones included; in bytes five times as many.",
  ),
  SKILL_LIST_TOKENS: count(2_000, 200, 32_000).describe(
    "Tokens of the list of skills in a prompt. What does not fit is found by `find_skill`; what is public is left out first.",
  ),
  PUBLISH_BLOCK_SEVERITY: choice(["none", "high", "low"], "none").describe(
    "Packages with findings of this severity or worse are not published to everybody; `none` blocks nothing.",
  ),
  CONVERSATION_IDLE_DAYS: count(30, 1, 3650).describe("A conversation nobody used for so long is deleted."),
  DRAFT_DAYS: count(14, 1, 365).describe("Days that a draft of a skill is kept after it was pushed."),
  FILE_DAYS: count(7, 1, 3650).describe(
    "Days that a file is kept which a script of a skill has left, unless its conversation ends before.",
  ),
  CONVERSATION_REGION: choice(PLACES, "auto").describe(
    "Where conversations are made, and then stay: `auto`, which is near the first caller, or `wnam`, `enam`, `sam`, `weur`, `eeur`, `apac`, `apac-ne`, `apac-se`, `oc`, `afr`, `me`. It is a hint for speed, and no promise of where data is.",
  ),
  MCP_CONNECT_TIMEOUT_S: count(30, 1, 300).describe(
    "Seconds to connect to an MCP server, or to read its list of tools, unless its entry says otherwise.",
  ),
  MCP_CALL_TIMEOUT_S: count(60, 1, 300).describe(
    "Seconds for a call of an MCP tool, unless its server's entry says otherwise.",
  ),
  SECRETS_KEY: optionalText(secretsKey).describe(
    "32 random bytes in base64 that encrypt stored secrets. Without it no secret can be stored.",
  ),
  SECRETS_KEYS_PREVIOUS: list(secretsKey).describe(
    "Comma-separated earlier keys: they still decrypt. Take one out after `POST /api/v1/secrets/rotate`.",
  ),
  ALLOWED_ORIGINS: list().describe("Comma-separated origins that browsers may call from (CORS). Empty: none."),
  LOG_REQUESTS: onOff(true).describe(
    "One line of JSON a request in the log, without paths, users or content. `npm start` and `npm run dev` turn it off unless it is set.",
  ),
  METRICS: choice(["on", "off"], "off").describe(
    "With `on` the gateway counts what it does, in one object that is awake then, and `/metrics` tells it to admins as OpenMetrics. `npm start` and `npm run dev` turn it on unless it is set.",
  ),
  RATE_LIMITS: onOff(true).describe(
    "Requests are limited per IP address and per principal, wrong keys per IP address, where the platform's rate counters are bound.",
  ),
  GROUPS_OPEN: onOff(false).describe(
    "With `true` every user may make groups. A group's skills come before public ones for whomever its owner adds.",
  ),
  DEMO: choice(["on", "off"], "on").describe(
    "With `off` the console offers no *Try it*, and `/demo`, which leads there, is 404.",
  ),
  CONSOLE: choice(["on", "off"], "on").describe(
    "With `off` there is no console: nobody signs in to it, `/console` is 404, and `/` is a page of a few links.",
  ),
  IDENTITY_MEMORY_S: count(10, 0, 60).describe(
    "Seconds that an isolate may go on with what it knows of a caller: revoking a key or a membership acts everywhere within this. `0`: the primary is asked for every request.",
  ),
  MODEL_HOSTS: origins.describe(
    "Comma-separated origins, such as `http://10.0.0.5:8000`, where models of the gateway may be besides public https hosts. Never for users' models.",
  ),
  CHAT_TOKENS_DAY: count(20_000_000, 0, 1_000_000_000_000).describe(
    "Tokens that the models of the chat endpoint may read and write for one user in a day (UTC). What runs when it is reached runs to its end.",
  ),
  CHAT_STREAMS: count(32, 1, 100_000).describe(
    "Requests of the chat endpoint, streamed or not, that one user may have running at once.",
  ),
  CHAT_CONVERSATION_HEADERS: own(CHAT_NAMES, (value) => {
    const names = entriesOf(value);
    return names.length === 0 ? CHAT_NAMES : names;
  }).describe(
    "Comma-separated headers in which a front end names a chat to the chat endpoint. Empty: `X-Conversation-Id` and `X-OpenWebUI-Chat-Id`.",
  ),
  CHAT_USER_HEADER: optionalText((value) =>
    /^[A-Za-z0-9-]{1,64}$/.test(value) ? null : "is not a header name",
  ).describe(
    "A header, such as `X-OpenWebUI-User-Id`, in which a front end names its user to the chat endpoint. It counts only from keys with `act_as`, as `On-Behalf-Of` does. Unset: none.",
  ),
  CHAT_USER_PREFIX: textOr("", (value) =>
    /^[A-Za-z0-9._:@+=-]{0,64}$/.test(value) ? null : "contains characters that are not allowed in user ids",
  ).describe(
    "Put before what `CHAT_USER_HEADER` says, such as `owui:`: a front end then names users of its own only, whatever it sends there.",
  ),
  DEMO_MODEL: choice(["on", "off"], "off").describe(
    "With `on` the chat endpoint has the scripted model `demo` also when deployed. Locally it always has.",
  ),
  ...quotaSettings,
  ...issuerSettings,
  ...signInSettings,
  ...signInPageSettings,
};

export type Settings = ValuesOf<typeof SETTINGS>;
export type QuotaSettings = Pick<Settings, keyof typeof quotaSettings>;

/** Reads settings from variables. Unknown names are problems too: a misspelt switch must not pass for the default. */
export function parseSettings(variables: Record<string, string>): { settings: Settings | null; issues: Issue[] } {
  const { values, problems } = readTable(SETTINGS, variables);
  const forIssuer = missingForIssuer(values).map((name) => ({ name, problem: "an issuer needs it" }));
  const invalid = [...problems, ...forIssuer, ...missingForSignIn(values)];
  const issues = [
    ...invalid.map(({ name, problem }) => ({ code: "INVALID_SETTING", message: `${name}: ${problem}`, path: name })),
    ...Object.keys(variables)
      .filter((name) => !Object.hasOwn(SETTINGS, name))
      .map((name) => ({ code: "UNKNOWN_SETTING", message: `'${name}' is not a setting.`, path: name })),
  ];
  return { settings: issues.length === 0 ? values : null, issues };
}

const read = new WeakMap<object, ReturnType<typeof parseSettings>>();

/**
 * The settings among a Worker's bindings; throws `unavailable` naming every bad one, so that a misconfigured gateway serves
 * nothing by accident. Names that begin with two underscores are a runtime's own (the test pool sets one).
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
