// The commands that install an open skill, one block per client. `docs/clients.md` explains them.

import { marketplaceName } from "../../domain/plugins/marketplace";

/** What a user copies for one client. */
export interface InstallBlock {
  client: string;
  text: string;
  note?: string;
}

/**
 * Returns the blocks for a skill that clients of an index can use. Its name has only a-z, 0-9 and hyphens, and the origin only characters
 * that a shell does not interpret (`plainOrigin`).
 */
export function installBlocks(origin: string, name: string, zip: string): InstallBlock[] {
  const base = `${origin}/s/public`;
  const market = marketplaceName({ host: new URL(origin).host, what: "public" });
  return [
    { client: "skills", text: `npx skills add ${base}/${name}` },
    {
      client: "Claude Code",
      text: `claude plugin marketplace add ${base}/.claude-plugin/marketplace.json\nclaude plugin install ${name}@${market}`,
    },
    {
      client: "opencode",
      text: JSON.stringify({ skills: { urls: [`${base}/${name}/.well-known/skills/`] } }),
      note: "In opencode.json.",
    },
    { client: "skillgate", text: `skillgate add ${base}/${name} --dir .agents/skills` },
    {
      client: "MCP host",
      text: `${origin}/mcp/my-project?preload=${name}`,
      note: "The URL of the server in Claude, Cursor, VS Code and others. You need an account of this gateway.",
    },
    { client: "ZIP", text: `curl -fo ${name}.zip ${origin}${zip}` },
  ];
}

/** Returns an origin that can be written into a command; `null` if its host has other characters than host names and ports. */
export function plainOrigin(origin: string): string | null {
  return /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/.test(origin) ? origin : null;
}
