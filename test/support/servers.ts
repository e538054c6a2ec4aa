// Configures MCP servers of the gateway, of ghosts and of skills.

import { env } from "cloudflare:workers";
import { call } from "./call";
import type { Talk } from "./chat-turns";
import type { SkillFixture } from "./skill";

export interface ServerStatus {
  server: string;
  source: string;
  state: string;
  tools: string[];
  error?: string;
  latency_ms?: number;
}

/** Replaces all servers of the gateway. */
export async function gatewayServers(entries: Record<string, object>): Promise<void> {
  const insert = env.DB.prepare("INSERT INTO mcp_servers (name, entry, created_by) VALUES (?, ?, 'admin')");
  await env.DB.batch([
    env.DB.prepare("DELETE FROM mcp_servers"),
    env.DB.prepare("INSERT INTO counters VALUES ('public', 1) ON CONFLICT DO UPDATE SET value = value + 1"),
    ...Object.entries(entries).map(([name, entry]) => insert.bind(name, JSON.stringify(entry))),
  ]);
}

/** Returns a skill with servers. */
export function serverSkill(name: string, servers: object, more: SkillFixture = {}): SkillFixture {
  return { ...more, name, frontmatter: `mcpServers: ${JSON.stringify(servers)}` };
}

/** Returns a ghost's spec with servers and every skill. */
export function withServers(mcpServers: object, spec: object = {}): { spec: object } {
  return { spec: { skills: ["*"], mcpServers, ...spec } };
}

/** Returns the `mcp` part of a conversation's status. */
export async function serversOf(talk: Talk): Promise<ServerStatus[]> {
  const answer = await call("GET", talk.route, { key: talk.key });
  return (await answer.json<{ mcp: ServerStatus[] }>()).mcp;
}
