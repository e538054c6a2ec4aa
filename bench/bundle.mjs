// Bundles that only the bench needs: Workers with nothing but Hono.

import { bundleWorker } from "../scripts/build/bundle.mjs";

/** Bundles a Worker with nothing but Hono and the classes of the gateway's objects. `/storage` reads D1 once and writes to an object. */
export function bundleHono() {
  const contents = `
    import { DurableObject } from "cloudflare:workers";
    import { Hono } from "hono";
    export class Conversation extends DurableObject {
      write(text) {
        this.ctx.storage.sql.exec("CREATE TABLE floor (text TEXT)");
        this.ctx.storage.sql.exec("INSERT INTO floor VALUES (?)", text);
        return text.length;
      }
    }
    export class Import extends DurableObject {}
    export class EventHub extends DurableObject {}
    export class Meter extends DurableObject {}
    const app = new Hono();
    app.get("/health", (c) => c.json({ status: "ok" }));
    app.get("/storage", async (c) => {
      const key = await c.env.DB.prepare("SELECT * FROM keys LIMIT 1").first();
      const wrote = await c.env.CONVERSATIONS.getByName("floor").write("x".repeat(600));
      return c.json({ key, wrote });
    });
    export default app;`;
  return bundleWorker({ entry: { name: "hono.js", contents }, release: true });
}
