// The Worker's entry and nothing else.

import { createApp } from "./http/app";

export { Conversation } from "./conversation/object";

const app = createApp();

export default {
  fetch: app.fetch,
} satisfies ExportedHandler<Env>;
