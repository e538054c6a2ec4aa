// The Worker's entry and nothing else.

import { createApp } from "./app";
import { scheduled } from "./cron";

export { Conversation } from "./conversation/object";

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled,
} satisfies ExportedHandler<Env>;
