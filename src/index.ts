// The Worker's entry. It imports little: an isolate loads the code that its first request, call or alarm needs.

import { answer } from "./edges";

export { Conversation } from "./conversation/object";
export { EventHub } from "./events/object";
export { Import } from "./imports/object";
export { Meter } from "./metrics/object";

export default {
  fetch: answer,
  scheduled: async (event, env) => (await import("./cron")).scheduled(event, env),
} satisfies ExportedHandler<Env>;
