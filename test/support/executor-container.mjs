// The Worker of an executor in Cloudflare Containers with simulated containers: MACHINE starts and ends the server of each.

import worker, { ScriptContainer as Real } from "../../executor/cloudflare/worker.mjs";

class SimulatedContainer {
  running = false;
  #machine;
  #id;
  #address = null;

  constructor(machine, id) {
    this.#machine = machine;
    this.#id = id;
  }

  start(options) {
    this.running = true;
    this.#address = fetch(`${this.#machine}/start`, {
      method: "POST",
      body: JSON.stringify({ id: this.#id, ...options }),
    }).then((response) => response.text());
    this.#address.catch(() => {});
  }

  getTcpPort() {
    return {
      fetch: async (request) => fetch(new Request((await this.#address) + new URL(request.url).pathname, request)),
    };
  }

  async destroy() {
    this.running = false;
    await fetch(`${this.#machine}/stop`, { method: "POST", body: JSON.stringify({ id: this.#id }) });
  }

  monitor() {
    return new Promise(() => {});
  }
}

export class ScriptContainer extends Real {
  constructor(ctx, env) {
    Object.defineProperty(ctx, "container", { value: new SimulatedContainer(env.MACHINE, ctx.id.toString()) });
    super(ctx, env);
  }
}

export default worker;
