// Parses frontmatter into a manifest. A skill is rejected only if it has no usable description, or if a variable would determine the origin
// of one of its servers. Other problems produce warnings.

import type { Issue } from "../errors";
import { isJsonObject, type JsonValue } from "../json";
import { DEPENDENCY_LIMITS } from "../limits";
import { parseReference } from "../reference";
import type { Frontmatter } from "./frontmatter";
import { type FieldReader, fieldReader } from "./manifest-field";
import { readNetwork } from "./manifest-network";
import { checkServers } from "./manifest-server";
import { isName } from "./name";
import { REQUIREMENTS, requirementLines, requirementOf } from "./requirements";
import { type Manifest, SKILL_FILE, type ToolDeclaration } from "./skill";

/** The result of reading a manifest. `manifest` is `null` if and only if there are issues. */
export interface ManifestReading {
  manifest: Manifest | null;
  issues: Issue[];
  warnings: Issue[];
}

/** Fields of the gateway, then of the specification, then of other hosts. Of the last group the gateway uses one field. */
const KNOWN_FIELDS = new Set([
  "name",
  "description",
  "displayName",
  "version",
  "author",
  "tags",
  "bindShells",
  "config",
  "tools",
  "provider",
  "mcpServers",
  "dependencies",
  "requirements",
  "network",
  "env",
  "preload",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  ...["argument-hint", "arguments", "disable-model-invocation", "user-invocable", "when_to_use", "disallowed-tools"],
  ...["model", "effort", "context", "agent", "hooks", "paths", "shell", "short-description"],
]);
/** Limits of the Agent Skills specification, in characters. */
const STRICT_DESCRIPTION = 1024;
const STRICT_COMPATIBILITY = 500;
/** The number of stored `dependencies` that are not skills, and the length of each. */
const OTHERS = 20;
const OTHER_CHARS = 80;
const MODULE_ENDINGS = [".js", ".mjs", ".ts", ".py"];

/**
 * Reads the known fields. Issues: `DESCRIPTION_MISSING`, `DESCRIPTION_INVALID`, `VARIABLE_IN_ORIGIN`. Warnings: `FIELD_UNKNOWN`,
 * `FIELD_TYPE`, `NAME_IS_TITLE`, `DESCRIPTION_LONG`, `COMPATIBILITY_LONG`, `METADATA_NOT_STRINGS`, `ALLOWED_TOOLS_LIST`,
 * `TOOL_INVALID`, `TOOL_DUPLICATE`, `DEPENDENCY_INVALID`, `TOO_MANY_DEPENDENCIES`, `PROVIDER_LANGUAGE`, `PROVIDER_NOT_FOUND` and those of
 * `manifest-server.ts` and `manifest-network.ts`. Each has the line of its key.
 *
 * @param paths the package's files, relative to the skill's folder; a provider's module is looked up in them
 */
export function readManifest(frontmatter: Frontmatter, paths: readonly string[]): ManifestReading {
  const fields = fieldReader(frontmatter);
  const { warn } = fields;
  for (const key of Object.keys(frontmatter.fields)) {
    if (!KNOWN_FIELDS.has(key)) warn("FIELD_UNKNOWN", [key], `Unknown field '${key}'. It is stored but not used.`);
  }
  const description = frontmatter.fields.description ?? "";
  const name = fields.text("name");
  const displayName = fields.text("displayName");
  const manifest: Manifest = {
    ...defined("name", name),
    description: typeof description === "string" ? description.trim() : "",
    ...defined("displayName", displayName ?? titleOf(fields, name)),
    ...defined("version", fields.text("version")),
    ...defined("author", fields.text("author")),
    tags: fields.list("tags"),
    ...("bindShells" in frontmatter.fields ? { bindShells: fields.list("bindShells") } : {}),
    config: fields.object("config"),
    tools: readTools(fields),
    ...defined("provider", readProvider(fields, paths)),
    mcpServers: checkServers(fields, fields.object("mcpServers")),
    ...readDependencies(fields),
    ...readRequirements(fields),
    ...readNetwork(fields),
    preload: fields.flag("preload"),
    ...defined("license", fields.text("license")),
    ...defined("compatibility", fields.text("compatibility")),
    metadata: fields.textsIn("metadata"),
    allowedTools: readAllowedTools(fields),
  };
  warnStrictLimits(fields, manifest);
  // `storage/d1/catalog.ts` evaluates the field. Here only its type is checked.
  fields.flag("disable-model-invocation");
  const issues = [...checkDescription(fields, description), ...fields.issues];
  return { manifest: issues.length === 0 ? manifest : null, issues, warnings: fields.warnings };
}

function checkDescription(fields: FieldReader, description: JsonValue): Issue[] {
  const place = { path: SKILL_FILE, line: fields.line(["description"]) ?? 1 };
  if (typeof description !== "string") {
    return [{ code: "DESCRIPTION_INVALID", message: "`description` is not text. Write one string.", ...place }];
  }
  if (description.trim() !== "") return [];
  const message = "`description` is missing. Models see it before they load the skill. Add it to the frontmatter.";
  return [{ code: "DESCRIPTION_MISSING", message, ...place }];
}

/** Returns a `name` that is not a valid skill name: it is a display title. */
function titleOf(fields: FieldReader, name: string | undefined): string | undefined {
  if (name === undefined || isName(name)) return undefined;
  fields.warn("NAME_IS_TITLE", ["name"], "The `name` is not a valid skill name. It is used as the display name.");
  return name;
}

function warnStrictLimits(fields: FieldReader, manifest: Manifest): void {
  if ([...manifest.description].length > STRICT_DESCRIPTION) {
    const message = `Description too long for strict clients (limit ${STRICT_DESCRIPTION} characters). They do not list the skill.`;
    fields.warn("DESCRIPTION_LONG", ["description"], message);
  }
  if ([...(manifest.compatibility ?? "")].length > STRICT_COMPATIBILITY) {
    const message = `\`compatibility\` is too long for strict clients (limit ${STRICT_COMPATIBILITY} characters). They do not list the skill.`;
    fields.warn("COMPATIBILITY_LONG", ["compatibility"], message);
  }
  if (Object.values(manifest.metadata).some((value) => typeof value !== "string")) {
    const message =
      "A value of `metadata` is not text. Lists and mappings are stored, but strict clients can reject them.";
    fields.warn("METADATA_NOT_STRINGS", ["metadata"], message);
  }
}

function readTools(fields: FieldReader): ToolDeclaration[] {
  const tools = new Map<string, ToolDeclaration>();
  for (const [index, item] of fields.items("tools").entries()) {
    const place = ["tools", `${index}`];
    const entry = typeof item === "string" ? { name: item } : item;
    if (!isJsonObject(entry) || typeof entry.name !== "string" || entry.name === "") {
      fields.warn("TOOL_INVALID", place, "A tool has no `name` and was ignored. Add `name`.");
    } else if (tools.has(entry.name)) {
      fields.warn(
        "TOOL_DUPLICATE",
        place,
        `The tool '${entry.name}' is declared twice. The first declaration is used.`,
      );
    } else {
      tools.set(entry.name, {
        name: entry.name,
        ...(typeof entry.provider === "string" ? { provider: entry.provider } : {}),
        ...(typeof entry.description === "string" ? { description: entry.description } : {}),
        ...(isJsonObject(entry.config) ? { config: entry.config } : {}),
      });
    }
  }
  return [...tools.values()];
}

function readProvider(fields: FieldReader, paths: readonly string[]): Manifest["provider"] {
  const provider = fields.object("provider");
  const { module, class: className } = provider;
  if (typeof module !== "string" || module === "") return undefined;
  const file = module.replace(/^\.\//, "");
  const runnable = ["", ...MODULE_ENDINGS].some(
    (ending) => paths.includes(file + ending) && MODULE_ENDINGS.some((known) => (file + ending).endsWith(known)),
  );
  const other = paths.find((path) => path === file || path.startsWith(`${file}.`));
  if (!runnable && other !== undefined) {
    const message = `The provider '${other}' is neither JavaScript nor Python. It is stored but not run; the skill loads without its tools.`;
    fields.warn("PROVIDER_LANGUAGE", ["provider", "module"], message);
  } else if (!runnable) {
    const message = `The provider module '${module}' is not in the package. The skill loads without its tools.`;
    fields.warn("PROVIDER_NOT_FOUND", ["provider", "module"], message);
  }
  return typeof className === "string" ? { module, class: className } : { module };
}

/** Reads a list of requirements, or the text of a requirements.txt. */
function readRequirements(fields: FieldReader): Pick<Manifest, "requirements"> {
  const found = fields.value("requirements");
  const texts = typeof found === "string" ? requirementLines(found) : fields.list("requirements");
  const requirements = texts.filter((text, index) => {
    if (requirementOf(text) !== null) return true;
    const message = `'${text.slice(0, OTHER_CHARS)}' is not a Python requirement. Write a package and its versions, as in 'numpy>=2'.`;
    fields.warn("REQUIREMENT_INVALID", ["requirements", `${index}`], message);
    return false;
  });
  return requirements.length === 0 ? {} : { requirements: requirements.slice(0, REQUIREMENTS) };
}

/** Wegent also lists Python modules here, and many other authors list Python packages. */
function readDependencies(fields: FieldReader): Pick<Manifest, "dependencies" | "otherDependencies"> {
  const others: string[] = [];
  const needed = fields.list("dependencies").filter((text, index) => {
    const reference = parseReference(text);
    if (reference !== null && isName(reference.name)) return true;
    const shown = text.slice(0, OTHER_CHARS);
    if (others.length < OTHERS) others.push(shown);
    const message = `The dependency '${shown}' is neither \`name\` nor \`name@range\`. The list is treated as a list of packages: names without a range are not loaded.`;
    fields.warn("DEPENDENCY_INVALID", ["dependencies", `${index}`], message);
    return false;
  });
  if (needed.length > DEPENDENCY_LIMITS.skills) {
    const message = `Too many dependencies (limit ${DEPENDENCY_LIMITS.skills}, found ${needed.length}). The skill cannot be loaded.`;
    fields.warn("TOO_MANY_DEPENDENCIES", ["dependencies"], message);
  }
  return { dependencies: needed, ...(others.length === 0 ? {} : { otherDependencies: others }) };
}

/** The specification defines one string. Spaces inside parentheses, as in `Bash(git add:*)`, do not separate. */
function readAllowedTools(fields: FieldReader): string[] {
  const value = fields.value("allowed-tools");
  if (typeof value === "string") return value.match(/(?:[^\s,()]|\([^)]*\)?)+/g) ?? [];
  const tools = fields.list("allowed-tools");
  if (Array.isArray(value)) {
    const message = "`allowed-tools` is a list. The specification requires one string with spaces between the tools.";
    fields.warn("ALLOWED_TOOLS_LIST", ["allowed-tools"], message);
  }
  return tools;
}

/** Returns an object without the property if the value is `undefined`. */
function defined<K extends keyof Manifest>(key: K, value: Manifest[K] | undefined): Partial<Pick<Manifest, K>> {
  const part: Partial<Pick<Manifest, K>> = {};
  if (value !== undefined) part[key] = value;
  return part;
}
