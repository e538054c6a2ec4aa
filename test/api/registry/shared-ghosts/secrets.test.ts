// The owner whose secrets fill the placeholders in a shared ghost's MCP servers.

import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../../../support/call";
import { publishOwn, talk } from "../../../support/chat-turns";
import { gatewayServers, serverSkill, serversOf } from "../../../support/servers";
import { faults, forget, seen } from "../../../support/upstream";
import { crew, put } from "./users";

describe("the secrets of a shared ghost's servers", () => {
  const secret = "$" + "{{secrets.SHARED_TOKEN}}";
  const server = {
    told: { url: `${faults.replace("127.0.0.1", "localhost")}/ok/shared`, headers: { "x-api-key": secret } },
  };
  const values = { user: "members-own-value", group: "the-groups-value", gateway: "the-gateways-value" };
  const plant = async (key: string | undefined, scope: keyof typeof values, group_name?: string) => {
    const json = { value: values[scope], hosts: ["localhost"], scope, ...(group_name ? { group_name } : {}) };
    const who = key === undefined ? {} : { key };
    expect((await call("PUT", "/api/v1/secrets/SHARED_TOKEN", { ...who, json })).status).toBeLessThan(300);
  };
  const keysOf = async (isAsked: (http: string) => boolean) => {
    const requests = (await seen("/ok/shared")).filter(({ http }) => isAsked(http));
    return [...new Set(requests.map(({ headers }) => headers["x-api-key"]))];
  };
  /** Returns the secrets in the requests, except DELETE: a session is closed with the credentials that opened it. */
  const sent = () => keysOf((http) => http !== "DELETE");
  beforeEach(async () => {
    await forget();
    await gatewayServers({});
  });

  it("are the group's, and never the user's own or the gateway's", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await plant(undefined, "gateway");
    await put(keys.Owner, name, "caller", { skills: [], mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { ghost: "caller" });
    const without = await chat.turn();
    expect(without.warnings.map(({ message }) => message)).toEqual([
      `MCP server 'told' of the ghost is not available: the secret 'SHARED_TOKEN' of the group '${name}' was not found. Check its entry and the server.`,
    ]);
    expect(JSON.stringify([without, await serversOf(chat)])).not.toMatch(/members-own-value|the-gateways-value/);
    expect(await sent()).toEqual([]);
    await plant(keys.Maintainer, "group", name);
    await chat.turn();
    expect((await chat.use("told__echo")).isError).toBeUndefined();
    expect(await sent()).toEqual([values.group]);
    // The same entry in a user's own ghost still uses that user's secrets.
    await forget();
    const own = await talk({ key: keys.Reporter }, { spec: { mcpServers: server } });
    await own.turn();
    expect(await sent()).toEqual([values.user]);
  });

  it("of a public one are the gateway's only", async () => {
    const { name, keys } = await crew();
    await call("DELETE", "/api/v1/secrets/SHARED_TOKEN?scope=gateway");
    await plant(keys.Reporter, "user");
    await plant(keys.Maintainer, "group", name);
    await put(undefined, "public", "caller", { skills: [], mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { ghost: "caller" });
    const without = await chat.turn();
    expect(without.warnings.map(({ message }) => message)).toEqual([
      "MCP server 'told' of the ghost is not available: the secret 'SHARED_TOKEN' of the gateway was not found. Check its entry and the server.",
    ]);
    expect(await sent()).toEqual([]);
    await plant(undefined, "gateway");
    await chat.turn();
    expect(await sent()).toEqual([values.gateway]);
  });

  it("are filled as the conversation is now: a change of ghost changes whose they are", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await plant(keys.Maintainer, "group", name);
    await put(keys.Owner, name, "changing", { mcpServers: server });
    const chat = await talk({ key: keys.Reporter }, { spec: { mcpServers: server } });
    await chat.turn();
    expect(await sent()).toEqual([values.user]);
    await forget();
    await chat.turn({ conversation: { ghost: "changing" } });
    expect((await chat.use("told__echo")).isError).toBeUndefined();
    expect(await sent()).toEqual([values.group]);
    await expect.poll(() => keysOf((http) => http === "DELETE")).toEqual([values.user]);
  });

  it("do not reach the servers of skills and of the gateway, which keep their own rule", async () => {
    const { name, keys } = await crew();
    await plant(keys.Reporter, "user");
    await publishOwn(keys.Owner, serverSkill("brings", server), name);
    await put(keys.Owner, name, "bringer", { skills: ["brings"] });
    const chat = await talk({ key: keys.Reporter }, { ghost: "bringer" });
    await chat.turn();
    await chat.load("brings");
    expect(await sent()).toEqual([values.user]);
  });
});
