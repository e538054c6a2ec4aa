// Returns all stored data of the gateway as one text, for tests that search it for forbidden content.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** Returns the content of D1, R2 and the conversation's object. */
export async function stored(user: string, route: string): Promise<string> {
  const id = route.slice(route.lastIndexOf("/") + 1);
  const tables =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'";
  const inD1 = await env.DB.prepare(tables).all<{ name: string }>();
  const rows = await Promise.all(
    inD1.results.map(async ({ name }) =>
      JSON.stringify((await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results),
    ),
  );
  const stub = env.CONVERSATIONS.getByName(JSON.stringify([user, id]));
  const inObject = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(tables)
      .toArray()
      .map(({ name }) => JSON.stringify(storage.sql.exec(`SELECT * FROM "${name}"`).toArray())),
  );
  const { objects } = await env.PACKAGES.list({ include: ["customMetadata"] });
  const inR2 = await Promise.all(
    objects.map(async (object) => {
      const bytes = await (await env.PACKAGES.get(object.key))?.bytes();
      // Packages are stored uncompressed, so decoding each byte as one character shows their content.
      return JSON.stringify(object) + new TextDecoder("latin1").decode(bytes ?? new Uint8Array());
    }),
  );
  return [...rows, ...inR2, ...inObject].join("\n");
}
