// Every limit of the gateway, by name. Bytes unless the name says otherwise.

const KiB = 1024;
const MiB = 1024 * KiB;

/** What a skill package may be (docs/limits.md says why). */
export const PACKAGE_LIMITS = {
  zipBytes: 17 * MiB,
  unpackedBytes: 16 * MiB,
  fileBytes: 10 * MiB,
  files: 2_000,
  /** Counted in UTF-8 bytes, like the ZIP field it must fit again when we write it. */
  pathBytes: 255,
  frontmatterBytes: 64 * KiB,
  /** D1 rows end at 2 MB, and instructions are part of one. */
  instructionBytes: 512 * KiB,
  /** Inflated size over compressed size, enforced only above `ratioFreeBytes` so that small honest text passes. */
  ratio: 100,
  ratioFreeBytes: 1 * MiB,
} as const;

/** What one request may carry. */
export const REQUEST_LIMITS = {
  jsonBytes: 4 * MiB,
  /** Lists and objects inside each other: well below where anything that walks through them runs out of stack. */
  jsonDepth: 100,
  /** A multipart upload: the ZIP and room for the other parts and their framing. */
  uploadBytes: PACKAGE_LIMITS.zipBytes + 64 * KiB,
  /** What is read and forgotten of a body that nobody needs: well above an upload, so that one that is too large hears so. */
  unreadBytes: 32 * MiB,
  historyMessages: 10_000,
  callsPerBatch: 64,
  idempotencyKeyChars: 255,
  /** A stored answer above this is rebuilt instead of kept. */
  storedAnswerBytes: 256 * KiB,
  listLimit: 100,
} as const;

/** What goes into one row. Rows of D1 and of a conversation's store end at 2 MB when deployed, and at nothing like it locally. */
export const ROW_LIMITS = {
  /** A ghost's spec as JSON, and its servers. */
  specBytes: 512 * KiB,
  serversBytes: 64 * KiB,
  /** An entry of the gateway's servers. */
  serverBytes: 64 * KiB,
  /** Everything that a version's row says of its package. */
  versionBytes: 1_500_000,
  /** What is said of a package when it is published. */
  warnings: 200,
  /** What a version's provider says of its tools: more is asked for again. */
  describedBytes: 512 * KiB,
  /** A value of a conversation's store that is longer lies in several rows. In UTF-16 units, of which each takes at most 3 bytes. */
  partChars: 256 * KiB,
  /** All skills of a conversation's catalog as JSON; the rest is looked up when it is asked for. */
  catalogBytes: 4 * MiB,
} as const;

/** Drafts of skills. */
export const DRAFT_LIMITS = {
  /** Of one author. */
  drafts: 50,
  /** Users that a draft names, of whom each is told of every push. */
  users: 16,
  /** Drafts of others in a list. */
  listed: 100,
} as const;

/** What a conversation shows a model. How many tokens the list has is a setting. */
export const CATALOG_LIMITS = {
  listedSkills: 256,
  /** Of a description in a line of the list. */
  lineTokens: 40,
  ghostSkills: 1_000,
  /** What is told of a spec that is taken all the same. */
  specWarnings: 20,
} as const;

/** Counts of how skills are used. */
export const USE_LIMITS = {
  /** What one user's conversations count for the shared order of lists in a day, whatever they load. */
  votes: 50,
  /** What the use of a skill is told of: days, and versions. */
  days: 400,
  versions: 100,
} as const;

/** What search reads of a skill and of a query, and what it answers. */
export const SEARCH_LIMITS = {
  bodyChars: 4_000,
  /** Example prompts: how many count, how much of them together, and new words in each, see `domain/catalog/search.ts`. */
  examples: 10,
  exampleChars: 1_000,
  exampleNews: 5,
  queryChars: 1_200,
  queryTerms: 64,
  /** Rows that the terms of a query may have together: the rarest terms count, the others hardly tell one skill from another. */
  rows: 2_000,
  /** What `find_skill` shows. */
  shown: 5,
  shownTokens: 250,
  /** How deep a routing report looks, and how many prompts it takes. */
  routingDepth: 20,
  routingPrompts: 20,
} as const;

/**
 * What an MCP client is told before its first call, in UTF-16 units. Hosts cut a server's instructions, the strictest after some 2 000,
 * and the model never learns of what was cut off.
 */
export const OPENING_LIMITS = {
  chars: 2_000,
  /** Names to begin with, and names that are not there. */
  askedChars: 120,
  /** The list of skills, and how much of it names alone may take. */
  listChars: 1_400,
  nameChars: 800,
} as const;

/** What one skill may need, with all that its dependencies need: how many skills, and how often they name each other. */
export const DEPENDENCY_LIMITS = { skills: 128, references: 1_024 } as const;

/** What a conversation keeps. */
export const CONVERSATION_LIMITS = {
  activeSkills: 1_000,
  /** Messages of a history that are known to hold instructions; together they hold as many as may be active. */
  carriers: 256,
  /** Skills that a user adds to a ghost's. */
  addedSkills: 64,
  activeTokens: 1_000_000,
  metadataBytes: 16 * KiB,
  toolResultChars: 200_000,
  readLines: 2_000,
  readChars: 100_000,
  eventsPage: 1_000,
  eventsPageChars: 1 * MiB,
  /** Events after which a page of turns in figures ends with the turn at hand: each is folded. */
  seriesEvents: 5_000,
  storedBytes: 1024 * MiB,
} as const;

/** What a skill's code may be, and what one call of it may do. */
export const CODE_LIMITS = {
  moduleBytes: 1 * MiB,
  packageBytes: 4 * MiB,
  /** CPU of one call when deployed; locally, where no limit is enforced, of one stretch without a pause. */
  cpuMs: 10_000,
  localCpuMs: 750,
  /** Work of the compiler for one package: functions entered and rounds of loops, in all and for each byte. Real code takes 10 to 40 a byte. */
  compileSteps: 10_000_000,
  compileStepsPerByte: 100,
  /** Scripts of a package of which is said whether they run. */
  judgedScripts: 200,
  toolsPerSkill: 64,
  descriptionChars: 8_192,
  schemaChars: 65_536,
  hostCalls: 1_000,
  /** Everything that one call reads of its package, together. */
  readBytes: 32 * MiB,
  payloadChars: 256 * KiB,
  logChars: 4_096,
  logLines: 100,
  /** What may come out of an isolate, before it is read as a result. */
  answerChars: 4 * MiB,
  answerDepth: 100,
  /** Each of stdout and stderr. */
  outputChars: 100_000,
  inputChars: 1 * MiB,
} as const;

/** Keys, tokens and groups. */
export const ACCESS_LIMITS = {
  /** Groups of one user: each is one more walk along the index of skills. */
  groupsOfUser: 64,
  tokenChars: 16 * KiB,
  /** Groups that one token may claim. */
  claimedGroups: 512,
  /** What an issuer's list of keys may be. */
  keySetBytes: 256 * KiB,
  keySetKeys: 100,
  /** What an isolate remembers of those who call: 4 MiB in all. Of each part one key has at most half. */
  rememberedKeyBytes: 1 * MiB,
  rememberedUserBytes: 3 * MiB,
  /** Keys of which an isolate knows when it last noted a use. */
  notedKeys: 10_000,
} as const;

/** What a remote MCP server may send, and what is kept of it. */
export const UPSTREAM_LIMITS = {
  /** One answer, and all that a stream carries while a batch of calls runs. */
  answerBytes: 8 * MiB,
  streamBytes: 32 * MiB,
  redirects: 3,
  /** Of one server. */
  tools: 256,
  pages: 32,
  toolNameChars: 256,
  problems: 20,
  descriptionChars: 8_192,
  schemaChars: 65_536,
  /** All tools of a server together, as JSON in UTF-8: they are one row of the conversation's store. */
  listBytes: 1_000_000,
  /** All text of a result, and its blocks as JSON in UTF-8, which with what is structured is one row: pictures take more than a model reads. */
  textChars: CONVERSATION_LIMITS.toolResultChars,
  resultBytes: 1_200_000,
  blocks: 1_000,
  /** What is told of a server's own error. */
  reasonChars: 500,
} as const;

/** What a secret may be. A shorter value could not be taken out of a text without tearing words apart. */
export const SECRET_LIMITS = { minChars: 8, chars: 8_192, hosts: 32, perScope: 256 } as const;

/** Skills as MCP resources: entries and folder entries of one page. */
export const SERVED_LIMITS = { page: 100 } as const;

/** What the inspection of a package looks at and tells. */
export const INSPECTION_LIMITS = {
  /** Text of all files together. */
  textChars: 8 * MiB,
  /** Findings of one rule in one file, and of a package. */
  perRule: 5,
  findings: 50,
} as const;

/**
 * Requests in seconds, as wrangler.toml has them for the platform's counters. `address`: a back end with all its users, or an office,
 * may be behind one; `guesses`: what let nobody in, by address.
 */
export const RATES = {
  address: { requests: 20_000, seconds: 10 },
  principal: { requests: 2_000, seconds: 10 },
  guesses: { requests: 30, seconds: 60 },
} as const;

/** Calls of one conversation, of any kind, in a window. */
export const PACE = { requests: 5_000, seconds: 10 } as const;

/** When a server that fails is left alone: after so many failures in a row, for so many milliseconds. */
export const BREAKER = { failures: 5, coolDown: 30_000 } as const;
