// Types for OpenAPI texts of operations.

/**
 * Whether a request can be repeated if its result is unknown. `safe`: it changes nothing. `idempotent`: repeated with the same ids (or the
 * same `Idempotency-Key`), it changes nothing more. `never`: it may happen twice.
 */
export type Retry = "safe" | "idempotent" | "never";

export interface OperationText {
  /** `<resource>.<verb>`: the name in clients. It must not change, like the path. */
  id: string;
  about: string;
  /** Default: as HTTP defines the method; `POST` is `never`. */
  retry?: Retry;
  /** It accepts an `Idempotency-Key`. */
  keyed?: true;
  /** Example body that tests send. */
  body?: unknown;
  /** Example query parameters that tests send. */
  query?: Record<string, string | number | boolean>;
  /** The schema of the events, if the response can be a stream. */
  events?: string;
}

/** Operations by `METHOD /path`, with the path as in the document. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
