// Types of `skill-gateway/client`. Objects of the wire protocol keep the protocol's field names.

/** The ticket that your back end returns to the page: the unchanged body of `POST /api/v1/conversations/{id}/tickets`. */
export interface Ticket {
  ticket: string;
  /** Address of the WebSocket. */
  url: string;
}

export interface ConnectOptions {
  /**
   * Fetches a ticket from your back end. Called for the first connection and whenever the connection cannot be resumed. If it throws, the
   * client retries later. If it returns `null` (the user has signed out), the connection closes.
   */
  ticket: () => Ticket | null | Promise<Ticket | null>;
  /** Name of this client. The gateway stores it with the socket. */
  client?: string;
  /** Optional topics to receive: the skills that the conversation can use, tool calls while they run, and the user's feedback on turns. */
  hears?: readonly Topic[];
  /**
   * Actions that the page answers from `state.pending`, in addition to those with handlers. The gateway sends requests of MCP servers
   * (`form`, `open_url`) only to pages that answer these actions. Without such a page, the server receives an error at once.
   */
  answers?: readonly string[];
  /** Receives errors that do not end the connection: a failed ticket request, an `error` frame. */
  onError?: (error: unknown) => void;
  /** WebSocket class for runtimes without a global one. */
  WebSocket?: typeof WebSocket;
}

/**
 * `connecting`: the client fetches a ticket or opens the socket. `open`: the gateway has sent `welcome`. `waiting`: the connection is lost
 * and will be retried. `closed`: it will not be retried. `idle`: there is no conversation yet (only in the React hook).
 */
export type Status = "idle" | "connecting" | "open" | "waiting" | "closed";

/** A skill that is in the prompt. */
export interface ActiveSkill {
  skill: string;
  version: string | null;
  /** Number of turns left, not counting the turn in which it was loaded. 0: it is removed after this turn. `null`: it stays. */
  remaining: number | null;
  reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency";
  loaded_in_turn: number;
  tokens: number;
  /** True if the version is the candidate of a gradual rollout, which only a part of the conversations use. */
  candidate?: boolean;
}

export type Topic = "skills" | "calls" | "feedback";

/** The user's feedback on a turn: 1 is good, -1 bad, 0 none. */
export type Score = -1 | 0 | 1;

/** A skill that the conversation can use. */
export interface ListedSkill {
  skill: string;
  description: string;
  version: string | null;
  /** Size of its instructions in tokens. */
  tokens: number;
  /** True if only the user can select it. Models do not see it before that. */
  user_only: boolean;
}

/** A call of a gateway tool in the current turn. */
export interface ToolCall {
  /** The model's id of the call. It equals the `toolCallId` in a message. */
  call_id: string;
  /** The tool's own name, also if the model calls it through `call_skill_tool`. */
  name: string;
  /** The skill that owns the tool or that the call is about. `null` for other tools of the gateway or of an MCP server. */
  skill: string | null;
  state: "running" | "done" | "failed" | "cancelled";
  turn: number;
  /** Times in RFC 3339 format. */
  started_at: string;
  ended_at: string | null;
  progress?: { progress: number; total?: number; message?: string };
  /** The arguments, unless they are long. Requires a ticket with `output`. */
  arguments?: Record<string, unknown>;
  /** The shortened output, without instructions. Requires a ticket with `output`. */
  output?: string;
}

/** The MCP server that sent a request. The gateway fills in these fields. All other text in the request comes from the server. */
export interface Asker {
  kind: "server";
  name: string;
  host: string;
}

/** Payload of the action `form` from an MCP server: a message to show as plain text, and a flat JSON Schema of an object. */
export interface FormPayload {
  message: string;
  /** The same form in the format that skills use with `form`. Handlers that support only that format answer with `values`. */
  title: string;
  fields: { name: string; label: string; type: string; required: boolean; options?: string[] }[];
  schema: { type: "object"; properties: Record<string, Record<string, unknown>>; required: string[] };
}

/** Payload of the action `open_url` from an MCP server. Show `host`, and open `url` only when the user clicks. */
export interface OpenUrlPayload {
  message: string;
  url: string;
  host: string;
}

/** The answer to `form` and `open_url`: the user's decision. An accepted form also has `content`. */
export interface Elicited {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}

/** A request to the page from a skill, your back end or an MCP server. `from` is set for an MCP server. */
export interface SkillRequest<Payload = unknown> {
  request_id: string;
  skill_name: string | null;
  action: string;
  payload: Payload;
  from?: Asker;
  /** Time at which the gateway stops waiting (RFC 3339). */
  deadline: string;
  /** Number of times it was sent to a page. */
  attempt: number;
}

/** A message from a provider to the page that needs no answer. */
export interface SkillEvent<Payload = unknown> {
  skill_name: string | null;
  action: string;
  payload: Payload;
}

/** Snapshot of the connection. It is immutable. Every change creates a new one. */
export interface State {
  readonly status: Status;
  readonly turn: number;
  readonly active: readonly ActiveSkill[];
  /**
   * Skills that the conversation can use, if the page subscribes to `skills`. `null` until the first list arrives. `total` can be larger
   * than the list.
   */
  readonly skills: { readonly listed: readonly ListedSkill[]; readonly total: number } | null;
  /** Calls of the current turn in the order they started, if the page subscribes to `calls`. */
  readonly calls: readonly ToolCall[];
  /** The user's feedback by turn, also from other tabs, if the page subscribes to `feedback`. Turns without an entry have none. */
  readonly feedback: Readonly<Record<number, Score>>;
  /** Requests that this page has not answered and that were not withdrawn, oldest first. */
  readonly pending: readonly SkillRequest[];
  /** Why the connection is closed for good: 4401 unauthenticated, 4403 forbidden origin, 4404 conversation not found. */
  readonly closed: { readonly code: number; readonly reason: string } | null;
}

export interface HandlerContext<Payload = unknown> extends SkillRequest<Payload> {
  /** Aborts when the answer is no longer needed. */
  signal: AbortSignal;
}

/** Handles a request. The return value is the answer. If it throws, the answer is an error with that message. */
export type Handler<Payload = unknown> = (payload: Payload, request: HandlerContext<Payload>) => unknown;

export type Answer = { success: true; result?: unknown } | { success: false; error: unknown };

/**
 * Result of an answer. `invalid_answer`: the answer does not match the request. The request stays open and can be answered again.
 * `already_resolved`: another answer arrived first, or this one did and the connection was lost before the ack. `closed`: this connection
 * closed before the gateway accepted the answer.
 */
export type Ack =
  | { success: true }
  | { success: false; error: "already_resolved" | "expired" | "unknown_request" | "cancelled" | "closed" }
  | { success: false; error: "invalid_answer"; problems: string[] };

/** The reasons for which the gateway does not store feedback. */
type NotRated = { success: false; error: "unknown_turn" } | { success: false; error: "conversation_full" };

/** Result of feedback. `closed`: this connection closed before the gateway stored it. */
export type RateAck = { success: true } | NotRated | { success: false; error: "closed" };

export interface Connection {
  readonly state: State;
  /** Calls `listener` with every new state. Returns a function that unsubscribes. */
  subscribe(listener: (state: State) => void): () => void;
  /**
   * Sets the handler for an action, also for requests that already wait. Each action can have one handler. Returns a function that removes
   * it.
   */
  on<Payload>(action: string, handler: Handler<Payload>): () => void;
  /** Calls `listener` with events that providers emit. Returns a function that unsubscribes. */
  onEvent(listener: (event: SkillEvent) => void): () => void;
  /** Answers a request in `state.pending` without a handler. A second answer to the same request is not sent. */
  answer(requestId: string, answer: Answer): Promise<Ack>;
  /**
   * Stores the user's feedback on a turn of this conversation; 0 withdraws it. It replaces earlier feedback. Rejects with a `RangeError` if
   * the comment is longer than 1,000 characters.
   */
  rate(turn: number, score: Score, comment?: string): Promise<RateAck>;
  /** Closes the connection for good and aborts running handlers. Their requests wait for the next page. */
  close(): void;
}

/** Frames that the gateway sends. */
export type Frame =
  | {
      type: "welcome";
      seq: number;
      turn: number;
      active: ActiveSkill[];
      resume: string;
      /** Ids of the requests that still wait. All other requests ended while the page was disconnected. */
      pending?: string[];
    }
  | ({ type: "skill:request"; seq: number } & SkillRequest)
  | ({ type: "skill:event"; seq: number } & SkillEvent)
  | ({ type: "ack"; request_id: string } & (Ack | NotRated))
  | { type: "turn:feedback"; items: { turn: number; score: Score }[] }
  | { type: "skill:cancelled"; request_id: string; reason: string }
  | { type: "skill:active"; turn: number; active: ActiveSkill[] }
  | { type: "skill:list"; skills: ListedSkill[]; total: number }
  /** All calls of the turn. Replaces the calls received before. */
  | { type: "tool:calls"; turn: number; calls: ToolCall[] }
  | { type: "tool:call"; call: ToolCall }
  /** The client returns this frame to confirm that it has read all frames up to it. */
  | { type: "mark"; mark: string }
  /** With `request_id`: the gateway cannot accept the answer to this request at the moment. */
  | { type: "error"; code: string; message: string; request_id?: string };
