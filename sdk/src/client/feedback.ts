// Sends the user's feedback on turns. Feedback without an ack is sent again over the next connection: the last one counts.

import type { Frame, RateAck, Score } from "./types.js";

/** Character limit of a comment at the gateway. */
const COMMENT_CHARS = 1_000;

interface Entry {
  frame: string;
  turn: number;
  score: Score;
  onAck: (ack: RateAck) => void;
}

export interface Feedback {
  rate(turn: number, score: Score, comment?: string): Promise<RateAck>;
  /** Sends feedback without an ack again, over a new connection. */
  connected(): void;
  /** Returns whether the ack belongs to feedback. */
  acknowledge(frame: Extract<Frame, { type: "ack" }>): boolean;
  /** Sends this feedback again if it has no ack yet. */
  again(id: string): void;
  /** Ends all feedback without an ack. */
  close(): void;
}

interface Outside {
  send: (frame: string) => void;
  /** Called when the gateway has stored a score. */
  stored: (turn: number, score: Score) => void;
  /** Whether the connection is closed for good. */
  isClosed: () => boolean;
}

export function feedback({ send, stored, isClosed }: Outside): Feedback {
  const entries = new Map<string, Entry>();
  let made = 0;

  return {
    async rate(turn, score, comment) {
      if ((comment?.length ?? 0) > COMMENT_CHARS)
        throw new RangeError(`Comment too long (limit ${COMMENT_CHARS} characters). Shorten it.`);
      if (isClosed()) return { success: false, error: "closed" };
      const request_id = `feedback-${++made}`;
      const frame = JSON.stringify({ type: "feedback", request_id, turn, score, comment });
      return new Promise((onAck) => {
        entries.set(request_id, { frame, turn, score, onAck });
        send(frame);
      });
    },
    connected() {
      for (const { frame } of entries.values()) send(frame);
    },
    acknowledge({ request_id, ...ack }) {
      const entry = entries.get(request_id);
      if (entry === undefined) return false;
      entries.delete(request_id);
      if (ack.success) {
        stored(entry.turn, entry.score);
        entry.onAck({ success: true });
      } else entry.onAck({ success: false, error: ack.error === "unknown_turn" ? ack.error : "conversation_full" });
      return true;
    },
    again(id) {
      const entry = entries.get(id);
      if (entry !== undefined) send(entry.frame);
    },
    close() {
      for (const { onAck } of entries.values()) onAck({ success: false, error: "closed" });
      entries.clear();
    },
  };
}
