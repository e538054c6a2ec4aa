// The Worker's entry and nothing else.

import { createApp } from "./http/app";
import { scheduled } from "./http/scheduled";

export { Conversation } from "./conversation/object";

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled,
} satisfies ExportedHandler<Env>;
