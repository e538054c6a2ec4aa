// The Worker's entry and nothing else.

import { scheduled } from "./cron";
import { answer } from "./edges";

export { Conversation } from "./conversation/object";

export default {
  fetch: answer,
  scheduled,
} satisfies ExportedHandler<Env>;
