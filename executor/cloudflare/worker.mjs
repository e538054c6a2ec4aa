// The Worker of an executor in Cloudflare Containers. See docs/executor.md.

import { DurableObject } from "cloudflare:workers";
import { ContainerHost } from "./container.mjs";
import { routeToContainer } from "./router.mjs";

export class ScriptContainer extends DurableObject {
  #host;

  constructor(ctx, env) {
    super(ctx, env);
    this.#host = new ContainerHost({ container: ctx.container, storage: ctx.storage, version: env.VERSION.id });
  }

  fetch(request) {
    return this.#host.fetch(request);
  }

  alarm() {
    return this.#host.alarm();
  }
}

export default {
  fetch: (request, env) =>
    routeToContainer(request, { key: env.EXECUTOR_KEY, get: (name) => env.CONTAINERS.getByName(name) }),
};
