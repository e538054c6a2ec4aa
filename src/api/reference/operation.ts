// What the OpenAPI document says of an operation besides what its route's schemas say.

/**
 * Whether a request may be sent again when nobody knows whether it arrived. `safe`: it changes nothing. `idempotent`: sent again
 * with the same ids (or the same `Idempotency-Key`, where it takes one) it changes nothing more. `never`: it may happen twice.
 */
export type Retry = "safe" | "idempotent" | "never";

export interface OperationText {
  /** `<resource>.<verb>`: what clients call it. A promise, like the path. */
  id: string;
  about: string;
  /** Left out: what HTTP says of the method; `POST` is `never`. */
  retry?: Retry;
  /** It takes an `Idempotency-Key`. */
  keyed?: true;
  /** A body that a test sends. */
  body?: unknown;
  /** Query parameters that a test sends. */
  query?: Record<string, string | number | boolean>;
  /** The schema of each event of a stream that it may answer with. */
  events?: string;
}

/** Operations by `METHOD /path`, as the document writes the path. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
