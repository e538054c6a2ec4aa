// `skill-gateway/client/react`: React hooks that connect a component to a conversation and show its skills and tool calls.

import {
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import {
  type Ack,
  type Answer,
  type Connection,
  type ConnectOptions,
  type ConversationSkill,
  connect,
  type Handler,
  type RateAck,
  type Score,
  type SkillEvent,
  type State,
  skillsIn,
  type ToolCall,
  type Topic,
} from "./skill-gateway.js";

export interface SkillGatewayOptions extends Omit<ConnectOptions, "ticket"> {
  /** Fetches a ticket, as in `connect`. Receives the conversation id. */
  ticket: (conversation: string) => ReturnType<ConnectOptions["ticket"]>;
  /** Handlers for requests, by action. They can change with every render. */
  handlers?: Record<string, Handler<never>>;
  onEvent?: (event: SkillEvent) => void;
}

export interface SkillGateway extends State {
  readonly conversation: string | null;
  /** The topics from the options. A change applies to the next conversation id. */
  readonly hears: readonly Topic[];
  answer(requestId: string, answer: Answer): Promise<Ack>;
  rate(turn: number, score: Score, comment?: string): Promise<RateAck>;
}

const NOT_YET: State = {
  status: "connecting",
  turn: 0,
  active: [],
  skills: null,
  calls: [],
  feedback: {},
  pending: [],
  closed: null,
};
const NOTHING: readonly never[] = [];
const NONE: State = { ...NOT_YET, status: "idle" };

/** Connects to a conversation while the component is mounted. With `null` the status is `idle`. A new id opens a new connection. */
export function useSkillGateway(conversation: string | null, options: SkillGatewayOptions): SkillGateway {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });

  const [connection, setConnection] = useState<Connection | null>(null);
  useEffect(() => {
    if (conversation === null) return;
    const { client, hears, answers, WebSocket } = latest.current;
    const made = connect({
      client,
      hears,
      answers,
      WebSocket,
      ticket: () => latest.current.ticket(conversation),
      onError: (error) => latest.current.onError?.(error),
    });
    made.onEvent((event) => latest.current.onEvent?.(event));
    setConnection(made);
    return () => {
      setConnection(null);
      made.close();
    };
  }, [conversation]);

  const actions = JSON.stringify(Object.keys(options.handlers ?? {}).sort());
  useEffect(() => {
    if (connection === null) return;
    const stops = (JSON.parse(actions) as string[]).map((action) =>
      connection.on(action, (payload, request) => {
        const handler = latest.current.handlers?.[action] as Handler | undefined;
        if (handler === undefined) throw new Error(`The page no longer handles the action '${action}'.`);
        return handler(payload, request);
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }, [connection, actions]);

  const subscribe = useCallback((listener: () => void) => connection?.subscribe(listener) ?? (() => {}), [connection]);
  const before = conversation === null ? NONE : NOT_YET;
  const state = useSyncExternalStore(
    subscribe,
    () => connection?.state ?? before,
    () => before,
  );
  const answer = useCallback(
    async (requestId: string, given: Answer): Promise<Ack> =>
      connection?.answer(requestId, given) ?? { success: false, error: "unknown_request" },
    [connection],
  );
  const rate = useCallback(
    async (turn: number, score: Score, comment?: string): Promise<RateAck> =>
      connection?.rate(turn, score, comment) ?? { success: false, error: "closed" },
    [connection],
  );
  return { ...state, conversation, hears: options.hears ?? NOTHING, answer, rate };
}

/** The skills of a conversation, for a page where the user selects skills. */
export interface SkillPicker {
  /** All skills, those in the prompt first. */
  skills: readonly ConversationSkill[];
  /** Number of skills the conversation can use. It can be larger than the list. */
  total: number;
  /** Skills the user picked for the next message. Send them with the message. Your back end passes them on as `selected_skills`. */
  picked: readonly string[];
  /** Picks a skill, or with `false` removes it from the picked ones. */
  pick(skill: string, isPicked?: boolean): void;
  /** Clears the picked skills. Call it after the message was sent. */
  clear(): void;
}

/** Returns the skills the conversation can use, their state in the prompt, and the ones the user picks. Requires `hears: ["skills"]`. */
export function useSkills(gateway: SkillGateway): SkillPicker {
  checkTopic(gateway, "skills");
  const { conversation, skills, active, turn } = gateway;
  const [{ of, names }, setPicked] = useState<{ of: string | null; names: readonly string[] }>(NOT_PICKED);
  const picked = of === conversation ? names : NOTHING;
  const list = useMemo(() => skillsIn({ skills, active, turn }), [skills, active, turn]);
  const pick = useCallback(
    (skill: string, isPicked = true) =>
      setPicked((before) => {
        const rest = before.of === conversation ? before.names.filter((name) => name !== skill) : [];
        return { of: conversation, names: isPicked ? [...rest, skill] : rest };
      }),
    [conversation],
  );
  const clear = useCallback(() => setPicked(NOT_PICKED), []);
  return { skills: list, total: skills?.total ?? list.length, picked, pick, clear };
}

const NOT_PICKED = { of: null, names: NOTHING };

/** The tool calls of the current turn. */
export interface ToolCalls {
  /** All calls, in the order they started. */
  calls: readonly ToolCall[];
  running: readonly ToolCall[];
  /** Returns the call with this id. It equals the `toolCallId` in a message. */
  of(callId: string): ToolCall | undefined;
}

/** Returns the calls of the gateway's tools, running and finished, under the tools' own names. Requires `hears: ["calls"]`. */
export function useToolCalls(gateway: SkillGateway): ToolCalls {
  checkTopic(gateway, "calls");
  const { calls } = gateway;
  return useMemo(
    () => ({
      calls,
      running: calls.filter(({ state }) => state === "running"),
      of: (callId) => calls.find(({ call_id }) => call_id === callId),
    }),
    [calls],
  );
}

/** The user's feedback on the turns of a conversation. */
export interface TurnFeedback {
  /** Returns the feedback on a turn; 0: none. */
  of(turn: number): Score;
  /** Stores feedback on a turn, in place of earlier feedback; 0 withdraws it. */
  rate(turn: number, score: Score, comment?: string): Promise<RateAck>;
}

/** Returns the user's feedback on turns, also from other tabs and earlier visits. Requires `hears: ["feedback"]`. */
export function useFeedback(gateway: SkillGateway): TurnFeedback {
  checkTopic(gateway, "feedback");
  const { feedback, rate } = gateway;
  return useMemo(() => ({ of: (turn) => feedback[turn] ?? 0, rate }), [feedback, rate]);
}

export interface ThumbsProps {
  gateway: SkillGateway;
  /** The turn of the answer, which is `gateway.turn` while the answer arrives. */
  turn: number;
  /** The texts for screen readers, and the message after a failure. English by default. */
  texts?: { group?: string; good?: string; bad?: string; failed?: string };
  className?: string;
  /** Returns the content of a button. An emoji by default. */
  children?: (score: 1 | -1) => ReactNode;
}

/** Two buttons for feedback on a turn. Pressing the pressed one withdraws the feedback. Requires `hears: ["feedback"]`. */
export function Thumbs({ gateway, turn, texts = {}, className, children = emoji }: ThumbsProps): ReactElement {
  const { of, rate } = useFeedback(gateway);
  const [isFailed, setFailed] = useState(false);
  const { group = "Feedback", good = "Good answer", bad = "Bad answer", failed = "Not saved. Try again." } = texts;
  const button = (score: 1 | -1, label: string) => {
    const isPressed = of(turn) === score;
    const onClick = () => void rate(turn, isPressed ? 0 : score).then(({ success }) => setFailed(!success));
    const attributes = { title: label, "aria-label": label, "aria-pressed": isPressed };
    return createElement("button", { type: "button", ...attributes, onClick }, children(score));
  };
  return createElement(
    "span",
    { role: "group", "aria-label": group, className },
    button(1, good),
    button(-1, bad),
    createElement("span", { role: "status" }, isFailed ? failed : null),
  );
}

const emoji = (score: 1 | -1): ReactNode =>
  createElement("span", { "aria-hidden": true }, score === 1 ? "\u{1F44D}" : "\u{1F44E}");

/** Throws if the connection does not subscribe to `topic`. The page would otherwise wait for data that never arrives. */
function checkTopic({ hears }: SkillGateway, topic: Topic): void {
  if (!hears.includes(topic))
    throw new Error(`This connection does not receive "${topic}". Pass \`hears: ["${topic}"]\` to useSkillGateway.`);
}
