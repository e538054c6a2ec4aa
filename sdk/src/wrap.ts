// Replaces one method of a vendor's client and leaves all others unchanged.

/** The result of the vendor SDKs' `withResponse()`. */
export interface Answered {
  data: unknown;
  response: Response;
  request_id?: string | null;
}

/**
 * Returns a promise like those of the vendors' SDKs: with the data, `asResponse`, `withResponse`, and `_thenUnwrap` for their helpers
 * (`parse`).
 */
export function promised(answer: Promise<Answered>, options: object): Promise<unknown> {
  const data = answer.then((answered) => answered.data);
  // A caller that uses only `asResponse` or `withResponse` receives the error there.
  data.catch(() => {});
  type Transform = (data: unknown, facts: { response: Response; options: object }) => unknown;
  return Object.assign(data, {
    asResponse: () => answer.then(({ response }) => response),
    withResponse: () => answer,
    _thenUnwrap: (transform: Transform) =>
      promised(
        answer.then((given) => ({ ...given, data: transform(given.data, { response: given.response, options }) })),
        options,
      ),
  });
}

type Create = (body: Record<string, unknown>, options?: RequestOptions) => unknown;

export interface RequestOptions {
  signal?: AbortSignal | null;
  [name: string]: unknown;
}

/**
 * Returns the client with `create` of the resource at `path` replaced. Helpers of that resource (`stream`, …) use the new method too.
 * @param again wraps the client that `withOptions` returns in the same way
 */
export function withCreate<Client extends object>(
  client: Client,
  path: readonly string[],
  create: Create,
  again: (client: Client) => Client,
): Client {
  const wrapped: Client = layer(client, path);
  return wrapped;

  function layer<Value extends object>(value: Value, rest: readonly string[]): Value {
    return new Proxy(value, {
      get(target, name) {
        if (rest.length === 0 && name === "create") return create;
        // Helpers of a resource use this property to reach their client.
        if (name === "_client") return wrapped;
        const member: unknown = Reflect.get(target, name, target);
        if (name === rest[0] && typeof member === "object" && member !== null) return layer(member, rest.slice(1));
        if (rest === path && name === "withOptions" && typeof member === "function")
          return (options: unknown) => again(member.call(target, options) as Client);
        // Methods of the client may use private members, which a proxy does not have, so they are bound to the client.
        return typeof member === "function" && rest.length > 0 ? member.bind(target) : member;
      },
    });
  }
}

/** Wraps other events in the vendor's own stream class, so that its helpers (`toReadableStream`, `tee`) work. */
export function streamLike(
  example: object,
  events: () => AsyncGenerator<unknown>,
  controller: AbortController,
): unknown {
  const Made = example.constructor as new (
    events: () => AsyncGenerator<unknown>,
    controller: AbortController,
  ) => unknown;
  return new Made(events, controller);
}

/** Returns a controller that aborts when `signal` aborts. */
export function controllerOf(signal?: AbortSignal | null): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller;
}

/** Adds the numbers of two usage objects. */
export function added(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a !== "object" || a === null) return b ?? a;
  if (typeof b !== "object" || b === null) return a;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, added(Reflect.get(a, name), Reflect.get(b, name))]));
}
