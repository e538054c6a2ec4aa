// Builds the fields of a form that a skill or server requests: a flat JSON Schema of an object. Its texts are shown as text, and no part of
// it is executed.

import type { ReactNode } from "react";
import { Plain } from "../parts/text";
import { t } from "../text/text";

type Value = string | number | boolean | string[];
interface Schema {
  type?: unknown;
  title?: unknown;
  description?: unknown;
  default?: unknown;
  format?: unknown;
  enum?: unknown;
  oneOf?: unknown;
  anyOf?: unknown;
  items?: unknown;
  minLength?: unknown;
  maxLength?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  minItems?: unknown;
}

/** A field with its label, and whether it is required. */
export interface Field {
  name: string;
  required: boolean;
  schema: Schema;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const words = (value: unknown) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
const number = (value: unknown) => (typeof value === "number" ? value : undefined);

/** Returns the fields of a schema from an MCP server. */
export function fieldsOfSchema(schema: unknown): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(words(schema.required));
  return Object.entries(schema.properties).map(([name, one]) => ({
    ...{ name, required: required.has(name) },
    schema: isObject(one) ? one : {},
  }));
}

/** Returns the fields of the action `form` from a skill. */
export function fieldsOfForm(fields: unknown): Field[] {
  return (Array.isArray(fields) ? fields.filter(isObject) : []).flatMap(({ name, label, type, required, options }) => {
    if (typeof name !== "string") return [];
    const schema: Schema = {
      title: label,
      type: type === "number" || type === "boolean" ? type : "string",
      ...(type === "choice" ? { enum: words(options) } : {}),
    };
    return [{ name, required: required === true, schema }];
  });
}

const TYPES: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

export function FieldRow({ field: { name, required, schema }, id }: { field: Field; id: string }): ReactNode {
  const label = typeof schema.title === "string" ? schema.title : name;
  const help = typeof schema.description === "string" ? schema.description : null;
  return (
    <div className="field">
      <label htmlFor={id}>
        <Plain>{label}</Plain>
        {!required && ` ${t("(optional)")}`}
      </label>
      <Input id={id} name={name} required={required} schema={schema} hint={help === null ? undefined : `${id}-help`} />
      {help !== null && (
        <span id={`${id}-help`} className="soft">
          <Plain>{help}</Plain>
        </span>
      )}
    </div>
  );
}

function Input({
  id,
  name,
  required,
  schema,
  hint,
}: {
  id: string;
  name: string;
  required: boolean;
  schema: Schema;
  hint: string | undefined;
}): ReactNode {
  const same = { id, name, ...(hint === undefined ? {} : { "aria-describedby": hint }) };
  const choices = choicesOf(schema.type === "array" && isObject(schema.items) ? schema.items : schema);
  if (schema.type === "boolean") return <input {...same} type="checkbox" defaultChecked={schema.default === true} />;
  if (choices !== null) {
    const multiple = schema.type === "array";
    const chosen = multiple ? words(schema.default) : typeof schema.default === "string" ? schema.default : "";
    const isNeeded = required && !(multiple && (number(schema.minItems) ?? 0) === 0);
    return (
      <select {...same} multiple={multiple} required={isNeeded} defaultValue={chosen}>
        {!multiple && <option value="" />}
        {choices.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  const given = typeof schema.default === "string" || typeof schema.default === "number" ? schema.default : "";
  if (schema.type === "number" || schema.type === "integer")
    return (
      <input
        {...same}
        {...{ type: "number", required, defaultValue: given, min: number(schema.minimum), max: number(schema.maximum) }}
        step={schema.type === "integer" ? "1" : "any"}
      />
    );
  return (
    <input
      {...same}
      {...{ required, defaultValue: given, autoComplete: "off" }}
      type={TYPES[String(schema.format)] ?? "text"}
      minLength={number(schema.minLength)}
      maxLength={number(schema.maxLength)}
    />
  );
}

function choicesOf(schema: Record<string, unknown> | Schema): { value: string; title: string }[] | null {
  if (Array.isArray(schema.enum)) return words(schema.enum).map((value) => ({ value, title: value }));
  const named = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(named)) return null;
  return named
    .filter(isObject)
    .flatMap(({ const: value, title }) =>
      typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : [],
    );
}

/** Returns the entered values, without empty fields. */
export function valuesIn(form: HTMLFormElement, fields: readonly Field[]): Record<string, Value> {
  const given = new FormData(form);
  return Object.fromEntries(
    fields.flatMap(({ name, schema }): [string, Value][] => {
      if (schema.type === "boolean") return [[name, given.has(name)]];
      if (schema.type === "array") {
        const chosen = given.getAll(name).filter((one) => typeof one === "string");
        return chosen.length === 0 ? [] : [[name, chosen]];
      }
      const text = given.get(name);
      if (typeof text !== "string" || text === "") return [];
      if (schema.type === "number" || schema.type === "integer") return [[name, Number(text)]];
      return [[name, schema.format === "date-time" ? new Date(text).toISOString() : text]];
    }),
  );
}
