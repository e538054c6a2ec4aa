// One MCP client on one line to a server: with a handshake, or going on from what an earlier one left.

import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { version } from "../../package.json";
import { jsonObject } from "../domain/json";
import {
  type ClientCapabilities,
  cachedEra,
  type Era,
  type UpstreamMemory,
  type UpstreamTarget,
} from "../domain/servers/memory";
import type { Deadline } from "./deadline";
import { UpstreamFault } from "./fault";
import { faultOf } from "./reason";
import type { Sdk } from "./sdk";
import { type QuestionableCall, receiveLogs, receiveQuestions } from "./server-questions";
import { WatchedTransport } from "./transport";

/** The revision that a pinned modern server must speak. */
const MODERN = "2026-07-28";
/** The library's own timers never end anything: a deadline does. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;
const IDENTITY = { name: "skill-gateway", version };

export interface Connection {
  client: Client;
  line: WatchedTransport;
  /** What of the memory it goes on from; a fresh one goes on from nothing. */
  resumed: UpstreamMemory["session"] | "discover" | null;
  /** The calls that are under way on it and may be asked something. */
  readonly inquiries: Set<QuestionableCall>;
}

export interface ConnectionContext {
  sdk: Sdk;
  development: boolean;
  /** What a server of the modern era is told of this one exchange; one of the legacy era was told with its session. */
  abilities: ClientCapabilities;
  /** Called when the server says that its tools changed, or what it has beside them. */
  onListChanged(what: "list" | "library"): void;
}

/** A connection that goes on from the memory, without a request; `null` when there is nothing to go on from. */
export async function resume(
  around: ConnectionContext,
  target: UpstreamTarget,
  memory: UpstreamMemory,
  era: Era | null,
): Promise<Connection | null> {
  if (target.type === "sse") return null;
  if (era === "legacy" && memory.session !== null) {
    return open(around, target, memory.session, { kind: "legacy" });
  }
  const discover = era === "modern" ? discoverOf(around.sdk, memory) : null;
  return discover === null ? null : open(around, target, "discover", { kind: "modern", discover });
}

/**
 * A connection with a handshake. An era that is known saves asking for it; where the server rejects that one, it may have moved
 * on since it was asked, and is asked again.
 *
 * @throws UpstreamFault
 */
export async function handshake(
  around: ConnectionContext,
  target: UpstreamTarget,
  memory: UpstreamMemory,
  now: number,
  deadline: Deadline,
): Promise<Connection> {
  const era = cachedEra(memory, target, now);
  try {
    return await shakeAs(around, target, era, deadline);
  } catch (error) {
    const isGuess = target.era === "auto" && target.type !== "sse" && era === "legacy";
    if (!isGuess || !(error instanceof UpstreamFault) || !isRejected(error)) throw error;
    return shakeAs(around, target, null, deadline);
  }
}

/** Whether the server did not know what the request went on from, or what it was at all. */
function isRejected({ status }: UpstreamFault): boolean {
  return status === 400 || status === 404 || status === 405;
}

/** Whether the server no longer knows what the connection goes on from. */
export function isLost(fault: UpstreamFault, { resumed }: Connection): boolean {
  return resumed !== null && isRejected(fault);
}

async function shakeAs(
  around: ConnectionContext,
  target: UpstreamTarget,
  era: Era | null,
  deadline: Deadline,
): Promise<Connection> {
  const connection = prepare({ ...around, abilities: target.abilities }, target, null);
  const { client, line } = connection;
  const prior = era === "legacy" ? { prior: { kind: "legacy" as const } } : {};
  const connecting = client.connect(line, { signal: deadline.signal, timeout: NO_TIMEOUT_MS, ...prior });
  try {
    await deadline.within(Promise.race([connecting, line.broken]));
    return connection;
  } catch (error) {
    connecting.catch(() => undefined);
    const fault = faultOf(around.sdk, error, line);
    void line.close();
    throw fault;
  }
}

/** What a handshake taught, on top of what was known. */
export function memoryAfterHandshake(
  { client, line }: Connection,
  memory: UpstreamMemory,
  now: number,
): UpstreamMemory {
  const kind: Era = client.getProtocolEra() ?? "legacy";
  const protocol = client.getNegotiatedProtocolVersion() ?? "";
  const server = client.getServerVersion();
  const capabilities = jsonObject.safeParse(client.getServerCapabilities()).data;
  return {
    ...memory,
    era: { kind, at: now },
    session: kind === "legacy" ? { id: line.givenSession, protocol } : null,
    discover: kind === "modern" ? (jsonObject.safeParse(client.getDiscoverResult()).data ?? null) : null,
    server: {
      name: server?.name ?? "",
      version: server?.version ?? "",
      protocol,
      ...(capabilities === undefined ? {} : { capabilities }),
    },
  };
}

/** One more connection to a session, for what its server asks there in any of these calls. */
export function openSideConnection(
  around: ConnectionContext,
  target: UpstreamTarget,
  session: NonNullable<UpstreamMemory["session"]>,
  inquiries: Set<QuestionableCall>,
): Promise<Connection> {
  return open(around, target, session, { kind: "legacy" }, inquiries);
}

async function open(
  around: ConnectionContext,
  target: UpstreamTarget,
  resumed: NonNullable<Connection["resumed"]>,
  prior: PriorDiscovery,
  inquiries?: Set<QuestionableCall>,
): Promise<Connection> {
  const connection = prepare(around, target, resumed, inquiries);
  await connection.client.connect(connection.line, { prior });
  return connection;
}

function prepare(
  { sdk, development, abilities, onListChanged }: ConnectionContext,
  target: UpstreamTarget,
  resumed: Connection["resumed"],
  inquiries = new Set<QuestionableCall>(),
): Connection {
  const mode = target.era === "modern" ? { pin: MODERN } : "auto";
  const client = new sdk.Client(IDENTITY, { versionNegotiation: { mode }, capabilities: { ...abilities } });
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged("list"));
  client.setNotificationHandler("notifications/resources/list_changed", () => onListChanged("library"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => onListChanged("library"));
  // The call that waits hears of a failure. The other events are noise of the wire.
  client.onerror = () => undefined;
  const line = new WatchedTransport(sdk, target, typeof resumed === "string" ? null : resumed, development);
  receiveQuestions(sdk, client, inquiries);
  receiveLogs(client, inquiries);
  return { client, line, resumed, inquiries };
}

function discoverOf(sdk: Sdk, { discover }: UpstreamMemory) {
  const value: unknown = discover;
  return sdk.isSpecType.DiscoverResult(value) ? value : null;
}
