// What `skill-gateway/client` takes and gives. The wire's own names are kept where the wire's own objects are shown.

/** What your back end answers when the page asks it for a ticket: the body of `POST /api/v1/conversations/{id}/tickets`, as it is. */
export interface Ticket {
  ticket: string;
  /** The socket's address. */
  url: string;
}

export interface ConnectOptions {
  /**
   * Asks your back end for a ticket: at first, and again whenever the connection cannot be resumed. A throw is tried again
   * later; `null` says that there will be none (the user has signed out), and ends the connection.
   */
  ticket: () => Ticket | null | Promise<Ticket | null>;
  /** Says who is there; the gateway keeps it with the socket. */
  client?: string;
  /** What else to be told of: the skills that the conversation may use, and the calls of tools while they run. */
  hears?: readonly Topic[];
  /**
   * Actions that the page answers from `state.pending`, beside those that it has handlers for. What MCP servers ask (`form`, `open_url`) goes
   * to pages that answer it: where none does, the server hears at once that nobody was asked.
   */
  answers?: readonly string[];
  /** Hears what went wrong but did not end the connection: a ticket that could not be had, an `error` frame. */
  onError?: (error: unknown) => void;
  /** For places without a WebSocket of their own. */
  WebSocket?: typeof WebSocket;
}

/**
 * `connecting`: a ticket or a socket is being opened. `open`: the gateway has welcomed us. `waiting`: the connection is lost
 * and will be tried again. `closed`: it will not. `idle`: there is no conversation yet (only the hook says this).
 */
export type Status = "idle" | "connecting" | "open" | "waiting" | "closed";

/** A skill that is in the prompt. */
export interface ActiveSkill {
  skill: string;
  version: string | null;
  /** How many turns after the one it was loaded in are not over yet. 0: it leaves with this turn; `null`: it stays. */
  remaining: number | null;
  reason: "loaded" | "preloaded" | "selected" | "dependency";
  loaded_in_turn: number;
  tokens: number;
}

export type Topic = "skills" | "calls";

/** A skill that the conversation may use. */
export interface ListedSkill {
  skill: string;
  description: string;
  version: string | null;
  /** Of its instructions. */
  tokens: number;
  /** Only the user may choose it; no model sees it before. */
  user_only: boolean;
}

/** A call of one of the gateway's tools in the current turn. */
export interface ToolCall {
  /** The model's id of it; that of the `toolCallId` in a message. */
  call_id: string;
  /** The tool's own name, also where the model calls it by way of `call_skill_tool`. */
  name: string;
  /** Whose tool it is, or which skill it is about; `null`: of the gateway, or of a server. */
  skill: string | null;
  state: "running" | "done" | "failed" | "cancelled";
  turn: number;
  /** Instants (RFC 3339). */
  started_at: string;
  ended_at: string | null;
  progress?: { progress: number; total?: number; message?: string };
  /** With a ticket that has `output`: what it was given, unless that is long. */
  arguments?: Record<string, unknown>;
  /** With a ticket that has `output`: what it has answered, shortened. Instructions are left out. */
  output?: string;
}

/** An MCP server that asks. The gateway writes this; whatever else a question says of its asker, the asker has written. */
export interface Asker {
  kind: "server";
  name: string;
  host: string;
}

/** What an MCP server asks with the action `form`: text to show as text, and the flat JSON Schema of an object. */
export interface FormPayload {
  message: string;
  /** The same as skills ask with `form`, for handlers that know only that; they answer with `values`. */
  title: string;
  fields: { name: string; label: string; type: string; required: boolean; options?: string[] }[];
  schema: { type: "object"; properties: Record<string, Record<string, unknown>>; required: string[] };
}

/** What an MCP server asks with the action `open_url`. Show `host`, and open `url` only when the user clicks. */
export interface OpenUrlPayload {
  message: string;
  url: string;
  host: string;
}

/** The answer to `form` and `open_url`: what the user did. `content` goes with an accepted form. */
export interface Elicited {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}

/** A question to the page: of a skill or your back end, or of an MCP server, which `from` then names. */
export interface SkillRequest<Payload = unknown> {
  request_id: string;
  skill_name: string | null;
  action: string;
  payload: Payload;
  from?: Asker;
  /** When the gateway stops waiting, as an instant (RFC 3339). */
  deadline: string;
  /** How many times it has been sent to a page. */
  attempt: number;
}

/** What a provider tells the page without waiting for an answer. */
export interface SkillEvent<Payload = unknown> {
  skill_name: string | null;
  action: string;
  payload: Payload;
}

/** A picture of the connection. A new one is made at every change; it is never changed itself. */
export interface State {
  readonly status: Status;
  readonly turn: number;
  readonly active: readonly ActiveSkill[];
  /** What the conversation may use, where the page hears of skills; `null` until it is told. `total` may be more than are listed. */
  readonly skills: { readonly listed: readonly ListedSkill[]; readonly total: number } | null;
  /** Calls of the current turn in the order of their beginning, where the page hears of calls. */
  readonly calls: readonly ToolCall[];
  /** Questions that this page has neither answered nor seen withdrawn, oldest first. */
  readonly pending: readonly SkillRequest[];
  /** Why it is closed for good; 4401 unauthenticated, 4403 forbidden origin, 4404 no such conversation. */
  readonly closed: { readonly code: number; readonly reason: string } | null;
}

export interface HandlerContext<Payload = unknown> extends SkillRequest<Payload> {
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** Its value, or the message of what it throws, is the answer. */
export type Handler<Payload = unknown> = (payload: Payload, request: HandlerContext<Payload>) => unknown;

export type Answer = { success: true; result?: unknown } | { success: false; error: unknown };

/**
 * What became of an answer. `invalid_answer`: it is not what the asker wants; the request waits on, and may be answered again. `already_resolved`: another answer was first, or this one was, and the connection was lost before
 * we could be told. `closed`: this connection ended before the gateway took it.
 */
export type Ack =
  | { success: true }
  | { success: false; error: "already_resolved" | "expired" | "unknown_request" | "cancelled" | "closed" }
  | { success: false; error: "invalid_answer"; problems: string[] };

export interface Connection {
  readonly state: State;
  /** Hears of every new state. Returns how to stop that. */
  subscribe(listener: (state: State) => void): () => void;
  /** Answers requests for an action, those that wait already as well. One handler an action. Returns how to stop that. */
  on<Payload>(action: string, handler: Handler<Payload>): () => void;
  /** Hears what providers emit. Returns how to stop that. */
  onEvent(listener: (event: SkillEvent) => void): () => void;
  /** Answers a request of `state.pending` by hand. The second answer to a request is never sent. */
  answer(requestId: string, answer: Answer): Promise<Ack>;
  /** Ends the connection for good; running handlers are aborted. What they were asked waits for the next page. */
  close(): void;
}

/** What the gateway sends. */
export type Frame =
  | {
      type: "welcome";
      seq: number;
      turn: number;
      active: ActiveSkill[];
      resume: string;
      /** The requests that wait; whatever else we know of has ended while we were away. */
      pending?: string[];
    }
  | ({ type: "skill:request"; seq: number } & SkillRequest)
  | ({ type: "skill:event"; seq: number } & SkillEvent)
  | ({ type: "ack"; request_id: string } & Ack)
  | { type: "skill:cancelled"; request_id: string; reason: string }
  | { type: "skill:active"; turn: number; active: ActiveSkill[] }
  | { type: "skill:list"; skills: ListedSkill[]; total: number }
  /** All calls of the turn, in place of what was told before. */
  | { type: "tool:calls"; turn: number; calls: ToolCall[] }
  | { type: "tool:call"; call: ToolCall }
  /** To be sent back: it tells the gateway that we have read so far. */
  | { type: "mark"; mark: string }
  /** With `request_id`: an answer to it could not be taken now. */
  | { type: "error"; code: string; message: string; request_id?: string };
