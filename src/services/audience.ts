// The pages that asked to hear more of a conversation than they are asked and told anyway.

import type { ServerFrame, Topic } from "../domain/questions/frame";

export interface Audience {
  /** Sends to those who hear of it what each may see; `null`: nothing. Made only where somebody hears. */
  show(topic: Topic, frameFor: (seesOutput: boolean) => ServerFrame | null): void;
}
