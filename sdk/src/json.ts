// JSON as the gateway speaks it.

export type JsonObject = { [name: string]: unknown };
