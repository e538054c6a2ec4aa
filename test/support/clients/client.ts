// What the tests ask of a chat client, whichever it is: one turn at a time, with the client's own history of what came before.

/** Where a client is pointed to: what a user types into it. */
export interface Place {
  baseURL: string;
  key: string;
  model: string;
  headers?: Record<string, string>;
}

/** A tool that the client has itself, and runs itself. */
export interface OwnTool {
  name: string;
  description: string;
  run(): string;
}

export interface Asked {
  say: string;
  /** A picture and a document beside the text. */
  attached?: boolean;
  own?: OwnTool;
  /** The answer is to have this form. */
  schema?: boolean;
  signal?: AbortSignal;
  /** Called with each piece of text as it comes. */
  onText?: (text: string) => void;
}

export interface Answered {
  text: string;
  /** What was read out of the answer, where it has a form. */
  parsed?: unknown;
  /** What the turn adds to the history, in the client's own form: what the user said, and all that the client made of it. */
  added: unknown[];
}

export interface Client {
  name: string;
  api: "openai-chat" | "openai-responses" | "anthropic";
  ask(place: Place, history: readonly unknown[], asked: Asked): Promise<Answered>;
  /** It keeps what was said at the vendor, which it cannot do behind a gateway: nothing to compare with. */
  keepsAtVendor?: boolean;
  /** Cases that it has no way to ask for, each with the reason. */
  lacks?: Readonly<Record<string, string>>;
}

/** What the wire carries is what the client's types say; a history is only known as JSON. */
export const as = <T>(value: unknown) => value as T;

/** A picture of one pixel, and a document of one page. */
export const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
export const DOCUMENT = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
).toString("base64");
export const NO_INPUT = { type: "object" as const, properties: {}, additionalProperties: false };
