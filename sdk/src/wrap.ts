// How an adapter stands in for one method of a vendor's client, and leaves all others as they are.

/** What the vendors' SDKs return: a promise that can also tell the response. */
export interface Answered {
  data: unknown;
  response: Response;
  request_id?: string | null;
}

/**
 * A promise as the vendors' SDKs make them. Of what they promise there are the data, `asResponse` and `withResponse`, and what their own
 * helpers (`parse`) make another of it with.
 */
export function promised(answer: Promise<Answered>, options: object): Promise<unknown> {
  const data = answer.then((answered) => answered.data);
  // Who asks for the response hears of a failure there.
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
 * The same client, with another method `create` of the resource at `path`. Helpers of that resource (`stream`, …) use it, too.
 * @param again makes the same of the client that `withOptions` gives
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
        // What a resource's helpers reach their client by.
        if (name === "_client") return wrapped;
        const member: unknown = Reflect.get(target, name, target);
        if (name === rest[0] && typeof member === "object" && member !== null) return layer(member, rest.slice(1));
        if (rest === path && name === "withOptions" && typeof member === "function")
          return (options: unknown) => again(member.call(target, options) as Client);
        // Methods of the client itself may use private members, which no proxy has.
        return typeof member === "function" && rest.length > 0 ? member.bind(target) : member;
      },
    });
  }
}

/** A vendor's own stream class around other events, so that its helpers (`toReadableStream`, `tee`) are there. */
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

/** Ends with any of them. */
export function controllerOf(signal?: AbortSignal | null): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller;
}

/** Numbers of two usages, added. */
export function added(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a !== "object" || a === null) return b ?? a;
  if (typeof b !== "object" || b === null) return a;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, added(Reflect.get(a, name), Reflect.get(b, name))]));
}
