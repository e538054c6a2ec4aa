// `skill-gateway/client/react`: a hook that keeps a component connected to its conversation for as long as it is mounted, and two that show
// what it hears of skills and of calls.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import {
  type Ack,
  type Answer,
  type Connection,
  type ConnectOptions,
  type ConversationSkill,
  connect,
  type Handler,
  type SkillEvent,
  type State,
  skillsIn,
  type ToolCall,
  type Topic,
} from "./skill-gateway.js";

export interface SkillGatewayOptions extends Omit<ConnectOptions, "ticket"> {
  /** As in `connect`; gets the id of the conversation. */
  ticket: (conversation: string) => ReturnType<ConnectOptions["ticket"]>;
  /** What the page can do, by action. They may change with every render. */
  handlers?: Record<string, Handler<never>>;
  onEvent?: (event: SkillEvent) => void;
}

export interface SkillGateway extends State {
  readonly conversation: string | null;
  /** As in the options. They count from when the conversation was given. */
  readonly hears: readonly Topic[];
  answer(requestId: string, answer: Answer): Promise<Ack>;
}

const NOT_YET: State = {
  status: "connecting",
  turn: 0,
  active: [],
  skills: null,
  calls: [],
  pending: [],
  closed: null,
};
const NOTHING: readonly never[] = [];
const NONE: State = { ...NOT_YET, status: "idle" };

/** Connects to a conversation; `null` while there is none, which is the status `idle`. Another id is another connection. */
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
        if (handler === undefined) throw new Error(`The page cannot do '${action}' any more.`);
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
  return { ...state, conversation, hears: options.hears ?? NOTHING, answer };
}

/** The skills of a conversation for a page that lets its user choose. */
export interface SkillPicker {
  /** Those in the prompt first. */
  skills: readonly ConversationSkill[];
  /** How many the conversation may use; it may be more than are listed. */
  total: number;
  /** What the user has picked for the next message: send it along, and let your back end pass it on as `selected_skills`. */
  picked: readonly string[];
  /** Picks one, or takes it back. */
  pick(skill: string, isPicked?: boolean): void;
  /** Nothing is picked any more, as after the message was sent. */
  clear(): void;
}

/** What the conversation may use, what of it is in the prompt, and what the user picks. Wants `hears: ["skills"]`. */
export function useSkills(gateway: SkillGateway): SkillPicker {
  mustHear(gateway, "skills");
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

/** The calls of the current turn. */
export interface ToolCalls {
  /** In the order of their beginning. */
  calls: readonly ToolCall[];
  running: readonly ToolCall[];
  /** The call with this id: that of a `toolCallId` in a message. */
  of(callId: string): ToolCall | undefined;
}

/** The calls of the gateway's tools while they run and after, under their own names. Wants `hears: ["calls"]`. */
export function useToolCalls(gateway: SkillGateway): ToolCalls {
  mustHear(gateway, "calls");
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

/** Else the page would wait for what it never asked for. */
function mustHear({ hears }: SkillGateway, topic: Topic): void {
  if (!hears.includes(topic)) throw new Error(`Give useSkillGateway \`hears: ["${topic}"]\` to be told of ${topic}.`);
}
