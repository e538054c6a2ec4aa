// What a conversation offers of a server to which its user has not signed in.

import type { UpstreamTool } from "./memory";

/** The error of such a server, which completes `… failed: `. */
export const SIGN_IN_NEEDED = "it requires you to sign in; connect the server first";

/** The tool that stands for the tools of a server until they are known. */
export const CONNECT_TOOL = "connect";

/** Returns the tool that asks the user to sign in. */
export function connectTool(server: string): UpstreamTool {
  return {
    name: CONNECT_TOOL,
    title: `Sign in to ${server}`,
    description: `Asks the user to sign in to '${server}'. Its tools are available afterwards. Call this first if the task needs '${server}'.`,
    inputSchema: { type: "object", properties: {} },
  };
}
