// Records the calls to D1 and R2.

import { env } from "cloudflare:workers";

/** Wraps the pool's D1 and R2. */
export function counted() {
  const asked: string[] = [];
  const noting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name, object);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          if (name === "prepare") asked.push(String(given[0]));
          if (["batch", "head", "get", "list"].includes(String(name))) asked.push(String(name));
          const result: unknown = Reflect.apply(member, object, given);
          return name === "withSession" ? noting(result as object) : result;
        };
      },
    });
  return { asked, bindings: { DB: noting(env.DB), PACKAGES: noting(env.PACKAGES) } };
}
