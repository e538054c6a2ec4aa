// Parses an MCP server's question to a person for display on a page. Texts of servers are plain text; forms have the flat schema of the
// specification and no field for credentials.

import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue, utf8Bytes } from "../json";
import { isLocalHttp } from "../loopback";
import { ELICITATION_LIMITS, QUESTION_LIMITS } from "./limits";
import type { ServerAction } from "./question";

/** A question for a page, or why it is not asked. In that case the server receives a decline. */
export type Elicited =
  | { action: ServerAction; payload: JsonObject; answerSchema: JsonObject; refusal?: never }
  | { refusal: string };

/** The user's action, in MCP's terms. */
const elicitAnswerSchema = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
});
export type ElicitAnswer = z.infer<typeof elicitAnswerSchema>;

const { nameChars, textChars, options, fields } = ELICITATION_LIMITS;
const words = z.string().transform((text) => plainText(text, textChars));
const label = { title: words.optional(), description: words.optional() };
const value = z.string().max(textChars);
const choices = z.array(value).min(1).max(options);
const titled = z
  .array(z.object({ const: value, title: words }))
  .min(1)
  .max(options);
const size = z.int().min(0).optional();

/** A field, in each form of the specification. Other members are removed. */
const fieldSchema = z.lazy(() =>
  z.union([
    z.object({
      type: z.literal("string"),
      ...label,
      enum: choices,
      enumNames: z.array(words),
      default: value.optional(),
    }),
    z.object({ type: z.literal("string"), ...label, enum: choices, default: value.optional() }),
    z.object({ type: z.literal("string"), ...label, oneOf: titled, default: value.optional() }),
    z.object({
      type: z.literal("string"),
      ...label,
      enum: z.never().optional(),
      oneOf: z.never().optional(),
      // Unknown formats are rejected, because a client could not validate them.
      format: z.enum(["email", "uri", "date", "date-time"]).optional(),
      minLength: size,
      maxLength: size,
      default: value.optional(),
    }),
    z.object({
      type: z.enum(["number", "integer"]),
      ...label,
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      default: z.number().optional(),
    }),
    z.object({ type: z.literal("boolean"), ...label, default: z.boolean().optional() }),
    z.object({
      type: z.literal("array"),
      ...label,
      minItems: size,
      maxItems: size,
      items: z.union([z.object({ type: z.literal("string"), enum: choices }), z.object({ anyOf: titled })]),
      default: z.array(value).max(options).optional(),
    }),
  ]),
);

const formSchema = z.lazy(() =>
  z.object({
    message: z.string(),
    requestedSchema: z.object({
      type: z.literal("object"),
      properties: z
        .record(z.string().min(1).max(nameChars), z.unknown())
        .refine((members) => Object.keys(members).length <= fields)
        .default({}),
      required: z.array(z.string()).max(fields).default([]),
    }),
  }),
);

const linkSchema = z.lazy(() => z.object({ message: z.string(), url: z.string().max(ELICITATION_LIMITS.urlChars) }));

/** Words for credentials, in names such as `apiKey`, `api_key` and "API key". */
const CREDENTIAL =
  /pass ?(?:word|phrase|code|wd)|\b(?:pwd|pin|cvv|cvc|otp|totp|mfa|2fa|ssn)\b|\bsecrets?\b|credential|(?:api|access|private|auth|secret) ?(?:key|token)|\btoken\b|(?:credit )?card number|seed phrase/;
/** Characters that are invisible or change the reading order. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Parses the parameters of `elicitation/create`.
 *
 * @param development whether a link can point to this machine over http
 */
export function readElicitation(params: JsonObject, development: boolean): Elicited {
  return params.mode === "url" ? readLink(params, development) : readForm(params);
}

/** Returns a server's text without control and direction characters, cut to the limit. */
export function plainText(text: string, most: number = ELICITATION_LIMITS.messageChars): string {
  const shown = text.replace(UNSEEN, (found) => (found === "\n" ? found : found === "\t" ? " " : ""));
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}

function readForm(params: JsonObject): Elicited {
  if (utf8Bytes(JSON.stringify(params)) > QUESTION_LIMITS.schemaBytes) return { refusal: "its form is too large" };
  const form = formSchema.safeParse(params).data;
  if (form === undefined)
    return { refusal: `its form is not allowed in MCP (a flat object with at most ${fields} fields)` };
  const { properties, required } = form.requestedSchema;
  const read: Record<string, JsonObject> = {};
  for (const [name, asked] of Object.entries(properties)) {
    const field = fieldSchema.safeParse(asked).data;
    const format = isJsonObject(asked) ? asked.format : undefined;
    const title = isJsonObject(asked) && typeof asked.title === "string" ? asked.title : "";
    if (format === "password" || isCredential(name) || isCredential(title))
      return {
        refusal: `its field '${plainText(name, nameChars)}' asks for a credential, which forms must not do`,
      };
    if (field === undefined)
      return { refusal: `its field '${plainText(name, nameChars)}' has a type that MCP does not allow in forms` };
    Object.defineProperty(read, name, { value: withNames(field), enumerable: true });
  }
  const message = plainText(form.message);
  const schema = {
    type: "object",
    properties: read,
    required: required.filter((name) => Object.hasOwn(read, name)),
  };
  return {
    action: "form",
    payload: {
      message,
      schema,
      title: message,
      fields: Object.entries(read).map((one) => sharedField(schema, ...one)),
    },
    answerSchema: answerTo(schema),
  };
}

/** Moves the names of choices, which earlier revisions wrote separately, to their current place. */
function withNames({ enumNames, ...field }: z.infer<typeof fieldSchema> & { enumNames?: string[] }): JsonObject {
  const asJson: JsonObject = JSON.parse(JSON.stringify(field));
  if (enumNames === undefined || !("enum" in field)) return asJson;
  const { enum: values, ...rest } = asJson;
  const listed = Array.isArray(values) ? values : [];
  return { ...rest, oneOf: listed.map((one, index) => ({ const: one, title: enumNames[index] ?? one })) };
}

function isCredential(name: string): boolean {
  const spoken = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^A-Za-z0-9]+/g, " ");
  return CREDENTIAL.test(spoken.toLowerCase());
}

function readLink(params: JsonObject, development: boolean): Elicited {
  const read = linkSchema.safeParse(params).data;
  if (read === undefined || /[\s\\\p{Cc}\p{Cf}]/u.test(read.url)) return { refusal: "its link is not a valid URL" };
  const url = URL.parse(read.url);
  const isSafe = url !== null && (url.protocol === "https:" || (development && isLocalHttp(url)));
  if (!isSafe) return { refusal: "its link is not https" };
  if (url.username !== "" || url.password !== "") return { refusal: "its link contains a user name or password" };
  return {
    action: "open_url",
    // The parser writes hosts in ASCII, so a look-alike letter appears as `xn--`.
    payload: { message: plainText(read.message), url: url.href, host: url.host },
    answerSchema: answerTo(null),
  };
}

/** Returns the field in the format that pages use for skills' `form` action. */
function sharedField({ required }: { required: string[] }, name: string, field: JsonObject): JsonObject {
  const { items, ...rest } = field;
  const { enum: values, oneOf, anyOf } = isJsonObject(items) ? items : rest;
  const listed = [values, oneOf ?? anyOf].flat();
  const options = listed.flatMap((one) => (isJsonObject(one) ? [one.const ?? null] : one === undefined ? [] : [one]));
  const plainType = field.type === "string" ? "text" : field.type === "boolean" ? "boolean" : "number";
  const asked: JsonObject = options.length > 0 ? { type: "choice", options } : { type: plainType };
  return { name, label: field.title ?? name, ...asked, required: required.includes(name) };
}

/**
 * Returns the schema of a page's answer: the user's action, and with `accept` the form values. Pages with a `form` handler for skills
 * answer with `values`.
 */
function answerTo(form: { properties: Record<string, JsonObject>; required: string[] } | null): JsonObject {
  const done = (...actions: string[]): JsonObject => ({
    properties: { action: { enum: actions } },
    required: ["action"],
  });
  if (form === null) return { type: "object", ...done("accept", "decline", "cancel") };
  const content: JsonObject = { type: "object", ...form, additionalProperties: false };
  const optional = (field: JsonObject): JsonObject => ({ anyOf: [field, { type: "null" }] });
  const entries = Object.entries(form.properties).map(([name, field]): [string, JsonObject] => [
    name,
    form.required.includes(name) ? field : optional(field),
  ]);
  const values: JsonObject = { ...content, properties: Object.fromEntries(entries) };
  return {
    type: "object",
    anyOf: [
      { properties: { action: { const: "accept" }, content }, required: ["action", "content"] },
      done("decline", "cancel"),
      { properties: { values }, required: ["values"] },
    ],
  };
}

/** Returns the user's action in a page's answer, or `null`. */
export function readElicitAnswer(result: JsonValue | undefined): ElicitAnswer | null {
  const values = isJsonObject(result) && !("action" in result) ? result.values : undefined;
  const given = Object.entries(isJsonObject(values) ? values : {}).filter(([, one]) => one !== null);
  const checkedAnswer = values === undefined ? result : { action: "accept", content: Object.fromEntries(given) };
  return elicitAnswerSchema.safeParse(checkedAnswer).data ?? null;
}
