// The interface of a chat client under test: one turn at a time, with the client's own history.

/** The endpoint settings that a user enters in a client. */
export interface Place {
  baseURL: string;
  key: string;
  model: string;
  headers?: Record<string, string>;
}

/** A tool that the client defines and runs. */
export interface OwnTool {
  name: string;
  description: string;
  run(): string;
}

export interface Asked {
  say: string;
  /** Attaches a picture and a document. */
  attached?: boolean;
  own?: OwnTool;
  /** Requests structured output. */
  schema?: boolean;
  signal?: AbortSignal;
  /** Called with each piece of text as it arrives. */
  onText?: (text: string) => void;
}

export interface Answered {
  text: string;
  /** The parsed value of structured output. */
  parsed?: unknown;
  /** Messages that the turn adds to the history, in the client's format: the user's message and the client's answer. */
  added: unknown[];
}

export interface Client {
  name: string;
  api: "openai-chat" | "openai-responses" | "anthropic";
  ask(place: Place, history: readonly unknown[], asked: Asked): Promise<Answered>;
  /** True if the client stores the history at the vendor. This is not possible behind a gateway, so there is nothing to compare. */
  keepsAtVendor?: boolean;
  /** Cases that the client does not support, with the reason. */
  lacks?: Readonly<Record<string, string>>;
}

/** Casts a value to the client's type. The wire format matches these types, but histories are typed as JSON only. */
export const as = <T>(value: unknown) => value as T;

/** A picture with one pixel, and a document with one page. */
export const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
export const DOCUMENT = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
).toString("base64");
export const NO_INPUT = { type: "object" as const, properties: {}, additionalProperties: false };
