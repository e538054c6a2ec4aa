// Pages that subscribed to further topics of a conversation.

import type { ServerFrame, Topic } from "../domain/questions/frame";

export interface Audience {
  /** Sends each subscriber what it can see; `null`: nothing. Computed only if there are subscribers. */
  show(topic: Topic, frameFor: (seesOutput: boolean) => ServerFrame | null): void;
}
