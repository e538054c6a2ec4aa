// The Worker's entry and nothing else.

import { createApp } from "./app";
import { scheduled } from "./cron";
import { proxy } from "./mcp/proxy";
import { serve } from "./mcp/server";

export { Conversation } from "./conversation/object";

const app = createApp({ proxy, serve });

export default {
  fetch: app.fetch,
  scheduled,
} satisfies ExportedHandler<Env>;
