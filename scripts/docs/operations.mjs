// Writes the reference of operations for the pages of docs/api/, from the OpenAPI document.

/** Error codes of an operation besides those that every operation has. Each is checked against the sources. */
const CODES = {
  "keys.create": ["GROUP_EXISTS", "QUOTA_EXCEEDED"],
  "keys.rotate": ["KEY_NOT_FOUND", "KEY_REPLACED", "KEY_TOO_STRONG"],
  "keys.revoke": ["KEY_NOT_FOUND"],
  "grants.end": ["GRANT_NOT_FOUND"],
  "sessions.end": ["SESSION_NOT_FOUND"],
  "signIns.create": ["SIGN_IN_DENIED", "NO_SIGN_IN", "TOO_MANY_SIGN_INS", "CONSOLE_OFF"],
  "oauthClients.put": ["NO_SIGN_IN", "QUOTA_EXCEEDED"],
  "oauthClients.delete": ["OAUTH_CLIENT_NOT_FOUND"],
  "skills.list": ["SEARCH_INDEX_MISSING"],
  "skills.invoke": ["SKILL_NOT_FOUND", "SKILL_HAS_NO_PROMPT", "SKILLS_DISABLED"],
  "skills.publish": [
    "NAME_CONFLICT",
    "VERSION_EXISTS",
    "VERSION_YANKED",
    "QUOTA_EXCEEDED",
    "DAILY_LIMIT",
    "CREDENTIAL_LITERAL",
    "ROLE_TOO_LOW",
  ],
  "skills.publishPublic": ["ADMIN_ONLY", "NAME_CONFLICT", "VERSION_EXISTS", "VERSION_YANKED", "CREDENTIAL_LITERAL"],
  "skills.publishVersion": [
    "SKILL_NOT_FOUND",
    "VERSION_EXISTS",
    "VERSION_YANKED",
    "QUOTA_EXCEEDED",
    "DAILY_LIMIT",
    "CREDENTIAL_LITERAL",
  ],
  "skills.share": ["SKILL_NOT_FOUND", "ROLE_TOO_LOW", "CREDENTIAL_LITERAL"],
  "skills.delete": ["SKILL_NOT_FOUND", "SKILL_REFERENCED"],
  "skills.download": ["SKILL_NOT_FOUND", "VERSION_NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  "skills.file": ["FILE_NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  "skills.removeReference": ["NOT_REFERENCED", "GHOST_NOT_FOUND"],
  "versions.activate": ["VERSION_NOT_FOUND", "VERSION_YANKED"],
  "drafts.push": ["QUOTA_EXCEEDED", "CREDENTIAL_LITERAL", "CONCURRENT_CHANGE"],
  "drafts.promote": ["DRAFT_NOT_FOUND", "NAME_CONFLICT", "VERSION_EXISTS"],
  "drafts.delete": ["DRAFT_NOT_FOUND"],
  "ghosts.create": ["NAME_CONFLICT", "QUOTA_EXCEEDED", "ROLE_TOO_LOW", "ADMIN_ONLY"],
  "ghosts.replace": ["GHOST_NOT_FOUND", "GHOST_CHANGED", "NAME_CONFLICT"],
  "groups.create": ["GROUP_EXISTS", "ADMIN_ONLY"],
  "groups.delete": ["GROUP_NOT_EMPTY", "ROLE_TOO_LOW"],
  "members.set": ["LAST_OWNER", "TOO_MANY_GROUPS", "ROLE_TOO_LOW"],
  "members.remove": ["MEMBER_NOT_FOUND", "LAST_OWNER"],
  "conversations.get": ["CONVERSATION_NOT_FOUND"],
  "conversations.at": ["TURN_NOT_FOUND"],
  "turns.prepare": ["CONVERSATION_NOT_FOUND", "IDEMPOTENCY_KEY_REUSED", "QUOTA_EXCEEDED", "DAILY_LIMIT"],
  "toolCalls.run": ["CONVERSATION_NOT_FOUND", "IDEMPOTENCY_KEY_REUSED", "QUOTA_EXCEEDED"],
  "toolCalls.cancel": ["CALL_NOT_FOUND"],
  "files.get": ["FILE_NOT_FOUND"],
  "files.delete": ["FILE_NOT_FOUND"],
  "questions.ask": ["NO_CLIENT", "PAYLOAD_TOO_LARGE", "TOO_MANY_REQUESTS", "TOO_MUCH_PENDING"],
  "questions.cancel": ["REQUEST_NOT_FOUND", "ALREADY_RESOLVED", "EXPIRED"],
  "questions.answer": ["REQUEST_NOT_FOUND", "ALREADY_RESOLVED", "EXPIRED", "INVALID_ANSWER", "ANSWER_TOO_LARGE"],
  "tickets.create": ["TICKETS_UNAVAILABLE"],
  "conversations.socket": ["UPGRADE_REQUIRED"],
  "secrets.set": ["SECRETS_UNAVAILABLE", "QUOTA_EXCEEDED"],
  "secrets.get": ["SECRET_NOT_FOUND"],
  "secrets.delete": ["SECRET_NOT_FOUND"],
  "models.set": ["QUOTA_EXCEEDED"],
  "models.get": ["MODEL_NOT_FOUND"],
  "models.delete": ["MODEL_NOT_FOUND"],
  "mcpServers.set": ["QUOTA_EXCEEDED"],
  "mcpServers.get": ["MCP_SERVER_NOT_FOUND"],
  "mcpServers.approve": ["MCP_SERVER_NOT_FOUND", "MCP_SERVER_UNAVAILABLE"],
  "servers.set": ["QUOTA_EXCEEDED"],
  "servers.get": ["MCP_SERVER_NOT_FOUND"],
  "links.create": ["LINK_NEEDS_KEY", "ROLE_TOO_LOW", "TOO_MANY_LINKS"],
  "links.revoke": ["LINK_NOT_FOUND"],
  "imports.start": ["IMPORT_NEEDS_KEY", "ROLE_TOO_LOW", "NAMESPACE_NOT_FOUND", "TOO_MANY_IMPORTS", "ADMIN_ONLY"],
  "imports.get": ["IMPORT_NOT_FOUND"],
  "imports.cancel": ["IMPORT_NOT_FOUND", "IMPORT_OVER"],
  "openSkills.add": ["SKILL_NOT_PUBLIC", "OPEN_LIST_FULL"],
  "users.export": ["USER_NOT_FOUND"],
  "users.erase": ["USER_NOT_FOUND"],
  "gateway.metrics": ["METRICS_OFF"],
};

/** Strings and lists of an example are shown up to these lengths. */
const SHOWN = { chars: 160, items: 1, lines: 60 };

export class Operations {
  #document;
  #need;
  #errors;
  #examples;

  /**
   * @param {any} document the OpenAPI document
   * @param {(method: string, path: string) => string} need which scope a request needs of a key
   * @param {{ code: string, status: string }[]} errors those of the sources
   * @param {Record<string, { status: number, body: unknown }>} examples recorded responses by operation id
   */
  constructor(document, need, errors, examples) {
    this.#document = document;
    this.#need = need;
    this.#errors = new Map(errors.filter(({ kind }) => kind === "http").map(({ code, status }) => [code, status]));
    this.#examples = examples;
  }

  /** Operations of some tags, in the order of the tags. */
  of(tags) {
    const all = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
    );
    return tags.flatMap((tag) => all.filter((one) => one.tags?.[0] === tag));
  }

  /** A table of the operations with links to their sections. */
  table(tags) {
    const rows = this.of(tags).map(
      (one) =>
        `| [\`${one.method} ${one.path}\`](#${anchor(one.operationId)}) | ${cell(one.summary)} | ${this.#scope(one)} |`,
    );
    return ["| Method and path | Description | Key scope |", "|---|---|---|", ...rows].join("\n");
  }

  /** One section an operation. */
  sections(tags) {
    return this.of(tags)
      .map((one) => this.#section(one))
      .join("\n\n");
  }

  #section(operation) {
    const { method, path, operationId, description } = operation;
    const parts = [
      `### ${operationId}`,
      `\`${method} ${path}\``,
      description,
      this.#facts(operation),
      this.#parameters(operation),
      this.#body(operation),
      this.#request(operation),
      this.#response(operation),
      this.#failures(operation),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  }

  #scope(operation) {
    if (operation.security?.length === 0) return "none";
    const need = this.#need(operation.method, operation.path.replace(/\{[^}]+\}/g, "x"));
    if (need === "any") return "any key";
    return need === "unlimited" ? "key without scopes" : `\`${need}\``;
  }

  #facts(operation) {
    const keyed = (operation.parameters ?? []).some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));
    const scope = operation.security?.length === 0 ? "No key needed." : `Key scope: ${this.#scope(operation)}.`;
    const retry = {
      safe: "Safe to repeat.",
      idempotent: "Idempotent.",
      never: "Not safe to repeat.",
    }[operation["x-retry"]];
    return `${scope} ${retry ?? ""}${keyed ? " Accepts `Idempotency-Key`." : ""}`.trim();
  }

  #parameters({ parameters = [] }) {
    const rows = parameters
      .filter((one) => one.name !== undefined && one.in !== "header")
      .map(
        (one) =>
          `| \`${one.name}\`${one.required && one.in === "query" ? " (required)" : ""} | ${one.in} | ${this.#type(one.schema)} | ${cell(one.description ?? "")} |`,
      );
    return rows.length === 0
      ? ""
      : ["| Parameter | In | Type | Description |", "|---|---|---|---|", ...rows].join("\n");
  }

  #body({ requestBody }) {
    const [content] = Object.entries(requestBody?.content ?? {});
    if (content === undefined) return "";
    const { properties, required } = this.#members(content[1].schema);
    const rows = Object.entries(properties).map(
      ([name, schema]) =>
        `| \`${name}\`${required.has(name) ? " (required)" : ""} | ${this.#type(schema)} | ${cell(this.#resolved(schema).description ?? schema.description ?? "")} |`,
    );
    if (rows.length === 0) return "";
    const kind = content[0] === "application/json" ? "Body" : `Body (\`${content[0]}\`)`;
    return [`| ${kind} | Type | Description |`, "|---|---|---|", ...rows].join("\n");
  }

  #request({ method, path, parameters = [], requestBody }) {
    const [content] = Object.entries(requestBody?.content ?? {});
    const example = content?.[1].example;
    if (example === undefined) return "";
    const at = parameters.reduce(
      (url, { name, in: place, example: value }) => (place === "path" ? url.replace(`{${name}}`, String(value)) : url),
      path,
    );
    const body =
      content[0] === "application/json"
        ? JSON.stringify(example, null, 2)
        : Object.entries(example)
            .map(([name, value]) => `${name}: ${name === "file" ? `@${value}` : value}`)
            .join("\n");
    const type = content[0] === "application/json" ? "" : `\nContent-Type: ${content[0]}`;
    return `\`\`\`http\n${method} ${at}${type}\n\n${body}\n\`\`\``;
  }

  #response({ operationId, responses }) {
    const statuses = Object.entries(responses)
      .filter(([status]) => /^[123]/.test(status))
      .map(([status, { description }]) => `\`${status}\` ${description}`);
    const line = statuses.length === 0 ? "" : `Responses: ${statuses.join(" ")}`;
    const example = this.#examples[operationId];
    if (example === undefined) return line;
    const lines = JSON.stringify(shortened(example.body), null, 2).split("\n");
    if (lines.length > SHOWN.lines || lines.length === 1) return line;
    return `${line}\n\n\`\`\`json\n${lines.join("\n")}\n\`\`\``;
  }

  #failures({ operationId, responses }) {
    const statuses = Object.keys(responses).filter((status) => /^[45]/.test(status));
    const codes = (CODES[operationId] ?? []).map((code) => {
      const status = this.#errors.get(code);
      if (status === undefined) throw new Error(`${operationId}: no source has the error ${code}`);
      return `\`${status} ${code}\``;
    });
    const all = [
      ...codes,
      ...statuses
        .filter((status) => !codes.some((code) => code.startsWith(`\`${status}`)))
        .map((status) => `\`${status}\``),
    ];
    return all.length === 0 ? "" : `Errors: ${all.join(", ")}. See [Errors](errors.md).`;
  }

  #resolved(schema) {
    if (schema?.$ref === undefined) return schema ?? {};
    return this.#resolved(this.#document.components.schemas[schema.$ref.split("/").at(-1)]);
  }

  /** The properties of an object, of all of its parts. */
  #members(schema) {
    const found = this.#resolved(schema);
    const parts = [...(found.allOf ?? []), ...(found.anyOf ?? []), ...(found.oneOf ?? [])].map((part) =>
      this.#members(part),
    );
    return {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties), found.properties),
      required: new Set([...(found.required ?? []), ...parts.flatMap(({ required }) => [...required])]),
    };
  }

  #type(schema) {
    const found = this.#resolved(schema);
    if (found.const !== undefined) return `\`${JSON.stringify(found.const)}\``;
    if (found.enum !== undefined) return found.enum.map((value) => `\`${value}\``).join(", ");
    const several = found.anyOf ?? found.oneOf;
    if (several !== undefined) return [...new Set(several.map((one) => this.#type(one)))].join(" or ");
    if (found.allOf !== undefined) return "object";
    if (found.type === "array") return `array of ${this.#type(found.items)}`;
    if (Array.isArray(found.type)) return found.type.join(" or ");
    return found.type ?? "any";
  }
}

/** An example with the beginning of its long strings and lists. */
function shortened(value) {
  if (typeof value === "string") return value.length > SHOWN.chars ? `${value.slice(0, SHOWN.chars)}…` : value;
  if (Array.isArray(value)) return value.slice(0, SHOWN.items).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/** The anchor that a heading has on GitHub. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** Text for a cell of a table. */
export const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
