// Exceptions for the query plan test: functions without a query, and functions that read or scan more rows than usual.

/** Exported functions that run no query of their own, with the reason. */
export const NO_QUERY: Record<string, string> = {
  watched: "the name of a counter",
  skillsUsed: "reads the answers of countingSkills",
  isInScopes: "makes a part of a statement: with readReferences",
  openDatabase: "wraps a session",
  guarded: "wraps one call",
  guardSession: "wraps a session",
  storageDown: "makes a refusal",
  isConstraintFailure: "reads an error",
  constraintOf: "reads an error",
  isIndexMissing: "reads an error",
  searchText: "makes the text of a version: with indexSkill",
  wantedRows: "makes statements: with wantedSkills",
  distinctRows: "puts rows together: with wantedSkills",
  valuesOf: "makes a part of a statement: with wantedSkills",
  fits: "makes a part of a statement: with wantedSkills",
  currentContents: "makes a statement: with readViewRows",
  countedNames: "makes a statement: with readViewRows",
  contentsIn: "reads rows: with readVersionContents",
  minimumTokensStatement: "makes a statement: with minimumTokens",
  isGhostThere: "makes a part of a statement: with createConversationRow",
  yankedRows: "makes a statement: with yankedAmong",
  searchStatement: "makes a statement: with searchSkills",
  lastServed: "remembers what an answer said",
  numberOf: "makes a statement: with insertVersion",
  recordOfBatch: "reads rows: with insertVersion",
  isPublishable: "makes a part of a statement: with readPublishedSkills",
  fileBytesOf: "makes a statement: with readUserUse",
  serversOfScopes: "makes a statement: with readViewRows",
  candidateRows: "makes a statement: with readViewRows",
  addInsights: "makes statements: with addUses",
  hideRatingStatement: "makes a statement: with hideRating",
  used: "makes a part of a statement: with createConversationRow",
};

/** Functions that read more rows than they return, with the reason. */
export const READING: Record<string, string> = {
  countSkillsOf: "counting reads what it counts, though only an index of it",
  countingSkills: "counting reads what it counts",
  readScopeUse: "counting reads what it counts",
  readUserUse: "counting reads what it counts",
  listUsers: "counting reads what it counts, up to a thousand of each for a user",
  listReviews: "reads a page of each scope and state, then returns one page of all",
  nameAt: "a position is found by walking there",
  readSkillFigures: "ranks the skills by their sums, so it reads all counts of the period",
  readUnusedSkills: "looks up the last use of each skill until a page is full",
  readViewRows: "counts all names, from an index alone",
};

/** Functions that scan whole tables, with the reason. */
export const WALKING: Record<string, { tables: readonly string[]; why: string }> = {
  listAudit: { tables: ["audit"], why: "a page of the log, newest first, is walked by the log's own number" },
  dueServers: { tables: ["mcp_servers"], why: "reads the servers of the gateway, which are few" },
  putServer: { tables: ["mcp_servers"], why: "counts the servers of the gateway, which are few" },
  putPreRegisteredClient: {
    tables: ["known_clients"],
    why: "counts the programs that admins made known, which are few",
  },
  listPreRegisteredClients: { tables: ["known_clients"], why: "walks along the names, a page of them" },
  gatewayServers: { tables: ["mcp_servers"], why: "answers with all servers of the gateway, which are few" },
  everyServer: { tables: ["mcp_servers"], why: "answers with all servers of the gateway, too" },
  readViewRows: { tables: ["mcp_servers"], why: "answers with all servers of the gateway, too" },
  openServers: { tables: ["mcp_servers"], why: "filters the servers of the gateway, which are few" },
  datedServers: { tables: ["mcp_servers"], why: "answers with all servers of the gateway, too" },
  deleteUnusedUpstreamClients: {
    tables: ["upstream_clients", "r"],
    why: "compares each registration with the sign-ins of ten minutes, once an hour",
  },
  deleteOldEvents: { tables: ["events"], why: "ranks the events of a week within each scope, once an hour" },
  deleteOrphanConnections: {
    tables: ["c"],
    why: "compares each connection with the servers, once an hour",
  },
  addListings: { tables: ["l", "listings"], why: "takes some of the waiting lists, and deletes them" },
  readSkillFigures: {
    tables: ["skills", "page"],
    why: "ranks all skills for an admin, and walks along the page that it found",
  },
  insertOpen: { tables: ["open_skills"], why: "counts the open list, which only admins fill" },
  listOpen: { tables: ["open_skills"], why: "answers with the whole open list" },
  listServers: { tables: ["mcp_servers"], why: "walks along the names, a page of them" },
  connectionsUnderOtherKeys: { tables: ["connections"], why: "asked by an admin after a change of the encryption key" },
  skillEnvUnderOtherKeys: { tables: ["skill_env"], why: "asked by an admin after a change of the encryption key" },
  webhooksUnderOtherKeys: { tables: ["webhooks"], why: "asked by an admin after a change of the encryption key" },
  secretsUnderOtherKeys: { tables: ["secrets"], why: "asked by an admin after a change of the encryption key" },
};
