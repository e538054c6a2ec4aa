// Makes a put to R2 resolve when its object is on the disk. The simulator of R2 writes files that it does not sync, so a loss of power
// could empty them after the gateway has acknowledged them.

const wrapped = new WeakMap();

/** Returns the bindings with a bucket that waits for `SYNC`, the launcher's side of this. */
export function withDurableBucket(env, name) {
  const known = wrapped.get(env);
  if (known !== undefined) return known;
  const { SYNC, ...bindings } = env;
  const made = { ...bindings, [name]: durable(bindings[name], SYNC) };
  wrapped.set(env, made);
  return made;
}

function durable(bucket, sync) {
  return new Proxy(bucket, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      if (property !== "put") return value.bind(target);
      return async (key, ...rest) => {
        const object = await target.put(key, ...rest);
        // `null`: a condition of the put did not hold.
        if (object === null) return null;
        const answer = await sync.fetch("http://sync/", { method: "POST", body: key });
        if (!answer.ok) throw new Error(`the object was not synced: ${await answer.text()}`);
        return object;
      };
    },
  });
}
