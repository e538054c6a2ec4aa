// The Worker's entry and nothing else. It reads little: an isolate reads what its first request, call or ring needs.

import { answer } from "./edges";

export { Conversation } from "./conversation/object";
export { Import } from "./imports/object";
export { Meter } from "./metrics/object";

export default {
  fetch: answer,
  scheduled: async (event, env) => (await import("./cron")).scheduled(event, env),
} satisfies ExportedHandler<Env>;
