// `skill-gateway/actions`: defines standard actions that a skill can request from any page, with schemas for payload and result.

import type { Handler, HandlerContext } from "./types.js";

/** A schema in the form of [Standard Schema](https://standardschema.dev), version 1: zod, valibot, arktype and others. */
export interface StandardSchema<Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>>;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
  };
}

export type Checked<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The JSON Schema keywords that `json` checks. It ignores others. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [keyword: string]: unknown;
}

/** A named action with the schemas of its payload and its result. */
export interface Action<Payload, Result> {
  readonly name: string;
  readonly payload: StandardSchema<Payload>;
  readonly result: StandardSchema<Result>;
}

/** Defines an action. Each schema can be any Standard Schema, or `json(…)` for JSON Schema. */
export function action<Payload, Result>(
  name: string,
  payload: StandardSchema<Payload>,
  result: StandardSchema<Result>,
): Action<Payload, Result> {
  return { name, payload, result };
}

/**
 * Returns a handler for `connection.on` or `handlers`. It rejects a payload or a result that does not match the action's schema. The error
 * message goes to the skill, and the model reads it. For an invalid payload, the page's function does not run.
 */
export function answering<Payload, Result>(
  { name, payload, result }: Action<Payload, Result>,
  handler: (payload: Payload, request: HandlerContext<Payload>) => Result | Promise<Result>,
): Handler<unknown> {
  return async (given, request) => {
    const asked = await inForm(payload, given, `The input of '${name}' is not valid`);
    return inForm(result, await handler(asked, { ...request, payload: asked }), `The answer of '${name}' is not valid`);
  };
}

async function inForm<Value>(schema: StandardSchema<Value>, value: unknown, otherwise: string): Promise<Value> {
  const checked = await schema["~standard"].validate(value);
  if (checked.issues === undefined) return checked.value;
  const words = checked.issues.slice(0, 5).map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  throw new Error(`${otherwise}: ${words.join("; ")}`);
}

/** Converts a JSON Schema into a Standard Schema. Checks only the keywords in `JsonSchema`. */
export function json<Value>(schema: JsonSchema): StandardSchema<Value> {
  return {
    "~standard": {
      version: 1,
      vendor: "skill-gateway",
      validate(value) {
        const issues = issuesAt(schema, value, []);
        return issues.length === 0 ? { value: value as Value } : { issues };
      },
    },
  };
}

function issuesAt(schema: JsonSchema, value: unknown, path: readonly PropertyKey[]): Issue[] {
  const wrong = (message: string): Issue[] => [{ message, path }];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type) && !(types.includes("integer") && Number.isInteger(value)))
    return wrong(`${types.join(" or ")} expected, ${type} found`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return wrong(`one of ${schema.enum.join(", ")} expected`);
  if (typeof value === "string") return within(value.length, schema.minLength, schema.maxLength, "characters", wrong);
  if (typeof value === "number") return within(value, schema.minimum, schema.maximum, "", wrong);
  if (Array.isArray(value)) {
    const { items } = schema;
    const each = items === undefined ? [] : value.flatMap((one, at) => issuesAt(items, one, [...path, at]));
    return [...within(value.length, schema.minItems, schema.maxItems, "entries", wrong), ...each];
  }
  if (type !== "object") return [];
  const { properties = {}, required = [], additionalProperties } = schema;
  const given = new Map(Object.entries(value as object));
  const missing = required.filter((name) => !given.has(name));
  return [
    ...missing.map((name) => ({ message: "missing", path: [...path, name] })),
    ...[...given].flatMap(([name, one]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known !== undefined) return issuesAt(known, one, [...path, name]);
      return additionalProperties === false ? [{ message: "not known", path: [...path, name] }] : [];
    }),
  ];
}

function within(
  size: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
  unit: string,
  wrong: (message: string) => Issue[],
): Issue[] {
  if (size >= least && size <= most) return [];
  return wrong(`${size < least ? `at least ${least}` : `at most ${most}`} ${unit}`.trim());
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

const text = { type: "string", minLength: 1, maxLength: 4_000 } as const;

/** Asks a yes-or-no question. */
export const confirm: Action<{ question: string; detail?: string }, { confirmed: boolean }> = action(
  "confirm",
  json({ type: "object", properties: { question: text, detail: text }, required: ["question"] }),
  json({ type: "object", properties: { confirmed: { type: "boolean" } }, required: ["confirmed"] }),
);

/** Asks the user to choose one option, or several. */
export const choose: Action<
  { question: string; options: { value: string; label?: string }[]; multiple?: boolean },
  { chosen: string[] }
> = action(
  "choose",
  json({
    type: "object",
    properties: {
      question: text,
      options: {
        type: "array",
        minItems: 1,
        maxItems: 200,
        items: { type: "object", properties: { value: text, label: text }, required: ["value"] },
      },
      multiple: { type: "boolean" },
    },
    required: ["question", "options"],
  }),
  json({
    type: "object",
    properties: { chosen: { type: "array", maxItems: 200, items: { type: "string" } } },
    required: ["chosen"],
  }),
);

/** One field of a form. */
export interface FormField {
  name: string;
  label?: string;
  type: "text" | "number" | "boolean" | "choice";
  required?: boolean;
  /** Options of a field of the type `choice`. */
  options?: string[];
}

/** Asks for several values in one form. */
export const form: Action<
  { title?: string; fields: FormField[] },
  { values: Record<string, string | number | boolean | null> }
> = action(
  "form",
  json({
    type: "object",
    properties: {
      title: text,
      fields: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: {
          type: "object",
          properties: {
            name: text,
            label: text,
            type: { enum: ["text", "number", "boolean", "choice"] },
            required: { type: "boolean" },
            options: { type: "array", maxItems: 200, items: text },
          },
          required: ["name", "type"],
        },
      },
    },
    required: ["fields"],
  }),
  json({ type: "object", properties: { values: { type: "object" } }, required: ["values"] }),
);

/** A file that the user picked, as text or as bytes. */
export interface PickedFile {
  name: string;
  type?: string;
  text?: string;
  base64?: string;
}

/** Asks the user to pick files. The whole answer is limited to 256 KiB. */
export const pickFile: Action<{ accept?: string; multiple?: boolean }, { files: PickedFile[] }> = action(
  "pick_file",
  json({ type: "object", properties: { accept: { type: "string" }, multiple: { type: "boolean" } } }),
  json({
    type: "object",
    properties: {
      files: {
        type: "array",
        maxItems: 20,
        items: {
          type: "object",
          properties: { name: text, type: { type: "string" }, text: { type: "string" }, base64: { type: "string" } },
          required: ["name"],
        },
      },
    },
    required: ["files"],
  }),
);
