// A JSON schema for a reader: its type in a few words, its limits, and its fields to unfold.

import { element, folded, prose } from "./elements.js";

const LIMITS = {
  format: "",
  pattern: "pattern",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
  minimum: "≥",
  maximum: "≤",
  default: "default:",
};

/** Reads the schemas of one OpenAPI document. */
export class Schemas {
  #document;

  constructor(document) {
    this.#document = document;
  }

  /** What a reference stands for, or the thing itself. */
  resolve(thing) {
    if (thing.$ref === undefined) return thing;
    const path = thing.$ref.replace(/^#\//, "").split("/");
    return path.reduce((inside, name) => inside[name.replaceAll("~1", "/").replaceAll("~0", "~")], this.#document);
  }

  /** The type in words: a name where the schema has one. */
  type(schema) {
    if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const parts = schema.anyOf ?? schema.oneOf;
    if (parts !== undefined) return [...new Set(parts.map((part) => this.type(part)))].join(" | ");
    if (schema.allOf !== undefined) return schema.allOf.map((part) => this.type(part)).join(" & ");
    const types = [schema.type ?? (schema.properties === undefined ? "anything" : "object")].flat();
    return types.map((type) => (type === "array" ? this.#arrayOf(schema.items ?? {}) : type)).join(" | ");
  }

  /** One thing with a name: its type, whether it must be there, its meaning, and its fields if it has any. */
  field(name, schema, isRequired, description = schema.description) {
    const limits = limitsOf(schema);
    return element(
      "li",
      {},
      element("code", { class: "name" }, name),
      " ",
      element("span", { class: "type" }, this.type(schema)),
      isRequired ? element("span", { class: "required" }, " required") : null,
      limits === "" ? null : element("span", { class: "limits" }, ` ${limits}`),
      description === undefined ? null : element("p", {}, ...prose(description)),
      this.hasFields(schema) ? folded({}, ["Fields"], () => this.fields(schema)) : null,
    );
  }

  /** Whether there is anything to unfold. */
  hasFields(schema) {
    const { properties = {}, items, anyOf, oneOf, allOf, additionalProperties } = this.resolve(schema);
    if (Object.keys(properties).length > 0) return true;
    if (isTelling(additionalProperties)) return true;
    return [items ?? [], anyOf ?? [], oneOf ?? [], allOf ?? []].flat().some((part) => this.hasFields(part));
  }

  /** The fields of an object, of the items of an array, or of every variant there is. */
  fields(schema) {
    const {
      properties = {},
      required = [],
      items,
      anyOf,
      oneOf,
      allOf = [],
      additionalProperties,
    } = this.resolve(schema);
    const own = Object.entries(properties).map(([name, one]) => this.field(name, one, required.includes(name)));
    if (isTelling(additionalProperties)) own.push(this.field("any other name", additionalProperties, false));
    const variants = (anyOf ?? oneOf ?? []).filter((part) => this.hasFields(part));
    return [
      ...(own.length === 0 ? [] : [element("ul", { class: "fields" }, ...own)]),
      ...(items === undefined ? [] : this.fields(items)),
      ...allOf.flatMap((part) => this.fields(part)),
      ...variants.flatMap((part, index) => [
        ...(variants.length === 1 ? [] : [element("p", { class: "variant" }, index === 0 ? "Either" : "or")]),
        ...this.fields(part),
      ]),
    ];
  }

  /** Every name below a schema, for the search; what has a name of its own is not entered. */
  names(schema) {
    const { properties = {}, items, anyOf, oneOf, allOf } = schema;
    return [
      ...Object.entries(properties).flatMap(([name, part]) => [name, ...this.names(part)]),
      ...[items ?? [], anyOf ?? [], oneOf ?? [], allOf ?? []].flat().flatMap((part) => this.names(part)),
    ];
  }

  #arrayOf(items) {
    const type = this.type(items);
    return /[|&]/.test(type) ? `(${type})[]` : `${type}[]`;
  }
}

/** `{}` and `false` say nothing of other names that a reader could use. */
function isTelling(additional) {
  return typeof additional === "object" && Object.keys(additional).length > 0;
}

function limitsOf(schema) {
  return Object.entries(LIMITS)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, word]) => `${word} ${key === "default" ? JSON.stringify(schema[key]) : schema[key]}`.trim())
    .join(", ");
}
