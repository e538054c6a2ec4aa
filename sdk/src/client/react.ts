// `skill-gateway/client/react`: one hook that keeps a component connected to its conversation for as long as it is mounted.

import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import {
  type Ack,
  type Answer,
  type Connection,
  type ConnectOptions,
  connect,
  type Handler,
  type SkillEvent,
  type State,
} from "./skill-gateway.js";

export interface SkillGatewayOptions extends Omit<ConnectOptions, "ticket"> {
  /** As in `connect`; gets the id of the conversation. */
  ticket: (conversation: string) => ReturnType<ConnectOptions["ticket"]>;
  /** What the page can do, by action. They may change with every render. */
  handlers?: Record<string, Handler<never>>;
  onEvent?: (event: SkillEvent) => void;
}

export interface SkillGateway extends State {
  answer(requestId: string, answer: Answer): Promise<Ack>;
}

const NOT_YET: State = { status: "connecting", turn: 0, active: [], pending: [], closed: null };
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
    const { client, WebSocket } = latest.current;
    const made = connect({
      client,
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
  return { ...state, answer };
}
