// The catalog of MCP servers that can be added: curated servers, and those of a registry.

import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { expectLog } from "../support/logs";
import { faults } from "../support/upstream";
import { changeSettings } from "../support/world/main";

interface Item {
  name: string;
  title: string;
  description: string;
  url: string;
  from: string;
}

async function search(q: string, key?: string): Promise<{ items: Item[]; registry: string }> {
  const path = `/api/v1/server-catalog?q=${encodeURIComponent(q)}`;
  const answer = await call("GET", path, key === undefined ? {} : { key });
  expect(answer.status).toBe(200);
  return answer.json();
}

const withRegistry = () => changeSettings({ MCP_REGISTRY_URL: new URL(faults).origin });

afterEach(() => changeSettings(null));

it("has curated servers with a source and the day it was checked, for every user", async () => {
  const { items, registry } = await search("NOTION", await keyFor("browsing"));
  expect(registry).toBe("off");
  expect(items).toEqual([
    expect.objectContaining({
      ...{ name: "com.notion/notion", entry_name: "notion", type: "streamable-http", from: "curated" },
      ...{ url: "https://mcp.notion.com/mcp", sign_in: "oauth" },
      ...{ source: expect.stringMatching(/^https:/), checked: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    }),
  ]);
  const all = await search("");
  expect(all.items.length).toBeGreaterThan(8);
  expect(new Set(all.items.map(({ name }) => name)).size).toBe(all.items.length);
});

it("an entry can be added as it is", async () => {
  const { items } = await search("sentry");
  const [{ entry_name, type, url } = { entry_name: "", type: "", url: "" }] = items as unknown as Record<
    "entry_name" | "type" | "url",
    string
  >[];
  const key = await keyFor("adding");
  const stored = await call("PUT", `/api/v1/servers/${entry_name}`, { key, json: { type, url } });
  expect(stored.status).toBe(201);
});

describe("with a registry", () => {
  it("appends the registry's servers, and prefers streamable HTTP", async () => {
    withRegistry();
    const { items, registry } = await search("weather");
    expect(registry).toBe("ok");
    expect(items).toEqual([
      {
        ...{ name: "com.example/weather", title: "Weather", description: "Forecasts.", entry_name: "weather" },
        ...{ type: "streamable-http", url: "https://weather.example.com/mcp", sign_in: null, version: "1.2.0" },
        headers: [{ name: "X-Key", description: "A key.", required: true, secret: true }],
        ...{ from: "registry", source: new URL(faults).origin, checked: null },
      },
    ]);
  });

  it("leaves out servers that cannot be used, and shows a curated server instead of another entry with its address", async () => {
    withRegistry();
    const { items } = await search("odd");
    expect(items.map(({ name }) => name)).toEqual(["com.example/control", "com.example/percent", "com.notion/notion"]);
    expect(items[0]?.description).toBe("two lines  and <b>markup</b>");
  });

  it.each(["broken", "html", "shape", "elsewhere", "large"])("that answers '%s' does not take part", async (q) => {
    withRegistry();
    expectLog("mcp_registry_unavailable");
    expect(await search(q)).toEqual({ items: [], registry: "unavailable" });
  });

  it("is asked once for the same text, with nothing but the text", async () => {
    withRegistry();
    await search("once only");
    await search("ONCE only", await keyFor("another"));
    const requests = await (await fetch(new URL("/v0.1/servers?search=requests", faults))).json<string[]>();
    expect(requests.filter((path) => /once/i.test(path))).toEqual([
      "/v0.1/servers?version=latest&limit=50&search=once+only",
    ]);
  });
});

it("a search text that is too long is an error", async () => {
  const answer = await call("GET", `/api/v1/server-catalog?q=${"x".repeat(101)}`);
  expect(answer.status).toBe(400);
});
