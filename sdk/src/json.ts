// JSON types.

export type JsonObject = { [name: string]: unknown };
