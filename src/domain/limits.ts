// All limits of the gateway by name, in bytes unless the name says otherwise.

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits of a skill package (docs/limits.md gives the reasons). */
export const PACKAGE_LIMITS = {
  zipBytes: 17 * MiB,
  unpackedBytes: 16 * MiB,
  fileBytes: 10 * MiB,
  files: 2_000,
  /** In UTF-8 bytes, like the name field of the ZIP that the gateway writes. */
  pathBytes: 255,
  frontmatterBytes: 64 * KiB,
  /** A D1 row has at most 2 MB, and instructions are part of a row. */
  instructionBytes: 512 * KiB,
  /** Inflated size over compressed size. Only applies above `ratioFreeBytes`, so that small texts are accepted. */
  ratio: 100,
  ratioFreeBytes: 1 * MiB,
} as const;

/** The message for a skill of an import that exceeds the limits of a package. */
export const SKILL_TOO_LARGE = `Unpacked skill too large (limit ${PACKAGE_LIMITS.unpackedBytes / MiB} MiB in ${PACKAGE_LIMITS.files} files of at most ${PACKAGE_LIMITS.fileBytes / MiB} MiB). Remove files.`;

/** Limits of one request. */
export const REQUEST_LIMITS = {
  jsonBytes: 4 * MiB,
  /** Nesting depth of lists and objects, well below the depth at which a recursive function exceeds the stack. */
  jsonDepth: 100,
  /** A multipart upload: the ZIP plus room for the other parts. */
  uploadBytes: PACKAGE_LIMITS.zipBytes + 64 * KiB,
  /** Maximum bytes read of an unneeded body: well above an upload, so that clients of one that is too large receive the error. */
  unreadBytes: 32 * MiB,
  historyMessages: 10_000,
  callsPerBatch: 64,
  idempotencyKeyChars: 255,
  /** The user's message of a turn. Predictions read less, see `SEARCH_LIMITS.queryChars`. */
  messageChars: 100_000,
  /** Larger responses are rebuilt instead of stored. */
  storedAnswerBytes: 256 * KiB,
  listLimit: 100,
} as const;

/** Limits of rows. Rows of D1 and of Durable Objects are limited to 2 MB when deployed; local simulators do not enforce it. */
export const ROW_LIMITS = {
  /** A ghost's spec as JSON, and its servers. */
  specBytes: 512 * KiB,
  serversBytes: 64 * KiB,
  /** An entry of the gateway's servers. */
  serverBytes: 64 * KiB,
  /** All columns of a version's row. */
  versionBytes: 1_500_000,
  /** Warnings of a package. */
  warnings: 200,
  /** A provider's tool descriptions; larger ones are requested again. */
  describedBytes: 512 * KiB,
  /** A longer value in a conversation's store is split into several rows. In UTF-16 units of at most 3 bytes. */
  partChars: 256 * KiB,
  /** All skills of a conversation's catalog as JSON; the rest is looked up on demand. */
  catalogBytes: 4 * MiB,
} as const;

/** Drafts of skills. */
export const DRAFT_LIMITS = {
  /** Drafts per author. */
  drafts: 50,
  /** Users that a draft can name, each of whom is notified of every push. */
  users: 16,
  /** Shared drafts of other users in a list. */
  listed: 100,
} as const;

/** Reviews of drafts. */
export const REVIEW_LIMITS = {
  /** Open submissions of one user. */
  open: 50,
  /** Comments, decisions and pushes that one submission stores. Decisions are always stored. */
  events: 300,
  commentChars: 4_000,
  /** Files that differ, as a response lists them. */
  files: 2_000,
} as const;

/** Limits of what a model is shown. The tokens of the list are a setting. */
export const CATALOG_LIMITS = {
  listedSkills: 256,
  /** Tokens of a description in the list. */
  lineTokens: 40,
  ghostSkills: 1_000,
  /** Warnings about a valid spec. */
  specWarnings: 20,
} as const;

/** Usage counts of skills. */
export const USE_LIMITS = {
  /** Votes of one user's conversations per day for the shared order. */
  votes: 50,
  /** Days and versions in usage reports. */
  days: 400,
  versions: 100,
  /** Days of a report on all skills, and the skills that it names: by default and at most. */
  daysOfAll: 30,
  top: 10,
  topMost: 1_000,
} as const;

/** Limits of what search reads of a skill and a query, and returns. */
export const SEARCH_LIMITS = {
  bodyChars: 4_000,
  /** Example prompts: their number, their total size, and new words in each; see `domain/catalog/search.ts`. */
  examples: 10,
  exampleChars: 1_000,
  exampleNews: 5,
  queryChars: 1_200,
  queryTerms: 64,
  /** Maximum rows that a query's terms can match together. Rarer terms are used first. */
  rows: 2_000,
  /** Results of `find_skill`. */
  shown: 5,
  shownTokens: 250,
  /** Depth of a routing report, and number of its prompts. */
  routingDepth: 20,
  routingPrompts: 20,
} as const;

/**
 * Limits of the instructions for an MCP client, in UTF-16 units. Hosts cut them, the strictest after about 2 000, and the model does not
 * see the rest.
 */
export const OPENING_LIMITS = {
  chars: 2_000,
  /** Names of skills to begin with, and names that were not found. */
  askedChars: 120,
  /** The list of skills, and the part of it that names can take. */
  listChars: 1_400,
  nameChars: 800,
} as const;

/** Dependencies of one skill, including indirect ones: number of skills and of references. */
export const DEPENDENCY_LIMITS = { skills: 128, references: 1_024 } as const;

/** Limits of what a conversation stores. */
export const CONVERSATION_LIMITS = {
  activeSkills: 1_000,
  /** Tracked messages with instructions; together at most as many as can be active. */
  carriers: 256,
  /** Skills that a user adds to those of a ghost. */
  addedSkills: 64,
  activeTokens: 1_000_000,
  metadataBytes: 16 * KiB,
  toolResultChars: 200_000,
  readLines: 2_000,
  readChars: 100_000,
  eventsPage: 1_000,
  eventsPageChars: 1 * MiB,
  /** Number of events after which a page of turn figures ends with the current turn, because every event must be read. */
  seriesEvents: 5_000,
  /** Agents and days whose predictions are counted at once. A conversation rarely changes its agent. */
  countedAgents: 16,
  /** Calls of a turn that its trace keeps, and characters of the error of each. */
  tracedCalls: 200,
  tracedErrorChars: 300,
  /** Names of skills by which a conversation is found in its list. */
  listedSkills: 100,
  /** Characters of the comment of a user's feedback on a turn. */
  commentChars: 1_000,
  storedBytes: 1024 * MiB,
} as const;

/** Limits of a skill's code and of one call. */
export const CODE_LIMITS = {
  moduleBytes: 1 * MiB,
  packageBytes: 4 * MiB,
  /** CPU time of one call in a deployment. Locally, where no limit is enforced: CPU time without a pause. */
  cpuMs: 10_000,
  localCpuMs: 750,
  /** Compiler steps per package: function calls and loop iterations, in total and per byte. Realistic code takes 10 to 40 per byte. */
  compileSteps: 10_000_000,
  compileStepsPerByte: 100,
  /** Scripts of a package that are analysed. */
  judgedScripts: 200,
  toolsPerSkill: 64,
  descriptionChars: 8_192,
  schemaChars: 65_536,
  hostCalls: 1_000,
  /** Total size of files that one call reads from its package. */
  readBytes: 32 * MiB,
  payloadChars: 256 * KiB,
  logChars: 4_096,
  logLines: 100,
  /** Maximum output of an isolate before it is parsed. */
  answerChars: 4 * MiB,
  answerDepth: 100,
  /** Each of stdout and stderr. */
  outputChars: 100_000,
  inputChars: 1 * MiB,
} as const;

/** Keys, tokens and groups. */
export const ACCESS_LIMITS = {
  /** Groups per user: each adds one search in the index of skills. */
  groupsOfUser: 64,
  tokenChars: 16 * KiB,
  /** Groups that one token can claim. */
  claimedGroups: 512,
  /** Size of an issuer's key set. */
  keySetBytes: 256 * KiB,
  keySetKeys: 100,
  /** Size of an isolate's identity cache: 4 MiB in total. One key has at most half of each part. */
  rememberedKeyBytes: 1 * MiB,
  rememberedUserBytes: 3 * MiB,
  /** Keys for which an isolate stores the time of the last recorded use. */
  notedKeys: 10_000,
} as const;

/** Ratings and reports of skills. */
export const RATING_LIMITS = {
  /** Ratings of one user. */
  perUser: 5_000,
  commentChars: 2_000,
  /** Reports of one user that no admin has decided. */
  openReports: 20,
  messageChars: 1_000,
  reasonChars: 500,
} as const;

/** Recorded results of test cases. */
export const EVAL_LIMITS = {
  /** Cases of one run. */
  cases: 200,
  nameChars: 160,
  reasonChars: 200,
  /** Characters of a name or a reason in a request, before it is shortened. */
  sentChars: 2_000,
  /** Names of the model and of the program that ran the cases. */
  toolChars: 100,
  /** Runs of one content, and of all contents of a skill. Older ones are deleted. */
  perContent: 5,
  perSkill: 100,
} as const;

/** Trusted publishers. */
export const PUBLISHER_LIMITS = {
  perScope: 50,
  skills: 100,
  skillChars: 200,
  rules: 20,
  claimChars: 100,
  valueChars: 500,
  issuerChars: 255,
  keyMinutes: 60,
  keyMinutesDefault: 15,
  /** Issuers whose addresses and keys an isolate caches. */
  issuers: 100,
} as const;

/** Limits of what an MCP server can send and what is stored of it. */
export const UPSTREAM_LIMITS = {
  /** Size of one response, and of everything a stream sends while calls run. */
  answerBytes: 8 * MiB,
  streamBytes: 32 * MiB,
  redirects: 3,
  /** Tools per server. */
  tools: 256,
  pages: 32,
  toolNameChars: 256,
  problems: 20,
  descriptionChars: 8_192,
  schemaChars: 65_536,
  /** All tools of a server, as JSON in UTF-8, because they are stored in one row. */
  listBytes: 1_000_000,
  /** Text of a result, and its blocks as UTF-8 JSON, which form one row with structured content: pictures take more than a model reads. */
  textChars: CONVERSATION_LIMITS.toolResultChars,
  resultBytes: 1_200_000,
  blocks: 1_000,
  /** Characters shown of a server's error. */
  reasonChars: 500,
} as const;

/** Limits of a secret. A shorter value could not be redacted without damaging ordinary words. */
export const SECRET_LIMITS = { minChars: 8, chars: 8_192, hosts: 32, perScope: 256 } as const;

/** Skills as MCP resources: entries and folder entries of one page. */
export const SERVED_LIMITS = { page: 100 } as const;

/** Limits of the inspection of a package. */
export const INSPECTION_LIMITS = {
  /** Total text of all files. */
  textChars: 8 * MiB,
  /** Findings per rule and file, and per package. */
  perRule: 5,
  findings: 50,
} as const;

/**
 * Rate limits as requests per seconds, equal to the platform counters in wrangler.toml. `address`: can be a back end or an office with many
 * users; `guesses`: failed authentications per address.
 */
export const RATES = {
  address: { requests: 20_000, seconds: 10 },
  principal: { requests: 2_000, seconds: 10 },
  guesses: { requests: 30, seconds: 60 },
} as const;

/** Calls of one conversation, of any kind, in a window. */
export const PACE = { requests: 5_000, seconds: 10 } as const;

/** Circuit breaker of a failing server: consecutive failures, and the pause in milliseconds. */
export const BREAKER = { failures: 5, coolDown: 30_000 } as const;
