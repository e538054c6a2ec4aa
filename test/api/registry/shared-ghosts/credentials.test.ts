// Literal credentials in a ghost's servers: only the author can see such a ghost.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call } from "../../../support/call";
import { crew, GHOSTS, issuesOf, made, put } from "./users";

const TOKEN = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
const servers = (value: string) => ({
  told: { url: "https://api.example.com/mcp", headers: { Authorization: value } },
});
const literal = { skills: [], mcpServers: servers(`Bearer ${TOKEN}`) };

describe("a literal credential in a ghost's servers", () => {
  it("is refused where others see it, by every way to save one, with the secret to use", async () => {
    const { name, keys } = await crew();
    const issue = {
      code: "CREDENTIAL_LITERAL",
      path: "spec.mcpServers.told.headers.Authorization",
      message: expect.stringContaining("write $" + "{{secrets.TOLD_TOKEN}} instead"),
    };
    const json = (namespace: string) => ({ metadata: { name: "caller", namespace }, spec: literal });
    for (const [key, namespace] of [
      [keys.Owner, name],
      [undefined, "public"],
    ] as const) {
      const who = key === undefined ? {} : { key };
      for (const answer of [
        await put(key, namespace, "caller", literal),
        await call("POST", GHOSTS, { ...who, json: json(namespace) }),
      ]) {
        expect(answer.status).toBe(400);
        expect(await answer.clone().text()).not.toContain(TOKEN);
        expect(await issuesOf(answer)).toEqual([issue]);
      }
      const ghost = await made(await put(key, namespace, "caller", { skills: [] }));
      const replaced = await call("PUT", `${GHOSTS}/${ghost.id}`, { ...who, json: json(namespace) });
      expect([replaced.status, await issuesOf(replaced)]).toEqual([400, [issue]]);
    }
    const nested = await put(keys.Owner, name, "caller", { mcpServers: { mcpServers: literal.mcpServers } });
    expect(await issuesOf(nested)).toMatchObject([{ path: "spec.mcpServers.mcpServers.told.headers.Authorization" }]);
    const named = servers("Bearer $" + "{{secrets.TOLD_TOKEN}}");
    expect((await put(keys.Owner, name, "caller", { mcpServers: named })).status).toBe(200);
  });

  it("stays in the user's own ghost", async () => {
    const { keys } = await crew();
    const ghost = await made(await put(keys.Reporter, "default", "mine", literal));
    expect(ghost.spec).toMatchObject({ mcpServers: literal.mcpServers });
  });

  it("is blackened in a ghost from before it was refused", async () => {
    const { name, keys } = await crew();
    const { id } = await made(await put(keys.Owner, name, "older", { skills: [] }));
    await env.DB.prepare("UPDATE ghosts SET spec = json_set(spec, '$.mcpServers', json(?)) WHERE id = ?")
      .bind(JSON.stringify(literal.mcpServers), id)
      .run();
    for (const key of [keys.Reporter, keys.Owner]) {
      for (const route of [`${GHOSTS}/${id}`, `${GHOSTS}?namespace=${name}`]) {
        const text = await (await call("GET", route, { key })).text();
        expect(text).toContain('"Authorization":"***"');
        expect(text).not.toContain(TOKEN);
      }
    }
  });
});
