// Types for OpenAPI texts of operations.

/**
 * Whether a request can be repeated if its result is unknown. `safe`: it changes nothing. `idempotent`: repeated with the same ids (or the
 * same `Idempotency-Key`), it changes nothing more. `never`: it may happen twice.
 */
export type Retry = "safe" | "idempotent" | "never";

export interface OperationText {
  /** `<resource>.<verb>`: what clients call it. A promise, like the path. */
  id: string;
  about: string;
  /** Default: as HTTP defines the method; `POST` is `never`. */
  retry?: Retry;
  /** It accepts an `Idempotency-Key`. */
  keyed?: true;
  /** A body that a test sends. */
  body?: unknown;
  /** Query parameters that a test sends. */
  query?: Record<string, string | number | boolean>;
  /** The schema of the events, if the response can be a stream. */
  events?: string;
}

/** Operations by `METHOD /path`, as the document writes the path. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
