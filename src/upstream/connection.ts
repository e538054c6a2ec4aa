// Connects one MCP client to a server, with a handshake or by resuming an earlier session.

import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { version } from "../../package.json";
import { jsonObject } from "../domain/json";
import {
  type ClientCapabilities,
  cachedEra,
  type Era,
  hasOneConnection,
  type UpstreamMemory,
  type UpstreamTarget,
} from "../domain/servers/memory";
import type { Deadline } from "./deadline";
import { UpstreamFault } from "./fault";
import { faultOf } from "./reason";
import type { Sdk } from "./sdk";
import { type QuestionableCall, receiveLogs, receiveQuestions } from "./server-questions";
import { WatchedTransport } from "./transport";

/** The revision that a server with the pinned modern era must use. */
const MODERN = "2026-07-28";
/** Effectively disables the library's own timers. `Deadline` ends operations instead. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;
const IDENTITY = { name: "skill-gateway", version };

export interface Connection {
  client: Client;
  line: WatchedTransport;
  /** The part of the memory that it resumed from, or `null` after a handshake. */
  resumed: UpstreamMemory["session"] | "discover" | null;
  /** The calls in progress on it in which the server can ask questions. */
  readonly inquiries: Set<QuestionableCall>;
}

export interface ConnectionContext {
  sdk: Sdk;
  development: boolean;
  /** The capabilities sent with this request to a server of the modern era. Servers of the legacy era receive them in the handshake. */
  abilities: ClientCapabilities;
  /** Called if the server reports a change of its tools (`list`), or of its resources and prompts (`library`). */
  onListChanged(what: "list" | "library"): void;
}

/** Returns a connection that resumes from the memory without a request, or `null` if the memory has nothing to resume. */
export async function resume(
  around: ConnectionContext,
  target: UpstreamTarget,
  memory: UpstreamMemory,
  era: Era | null,
): Promise<Connection | null> {
  if (hasOneConnection(target)) return null;
  if (era === "legacy" && memory.session !== null) {
    return open(around, target, memory.session, { kind: "legacy" });
  }
  const discover = era === "modern" ? discoverOf(around.sdk, memory) : null;
  return discover === null ? null : open(around, target, "discover", { kind: "modern", discover });
}

/**
 * Returns a connection after a handshake. A stored era saves the request that detects it. If the server rejects this era, it may have been
 * upgraded, and the era is detected again.
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
    return await handshakeAs(around, target, era, deadline);
  } catch (error) {
    const isGuess = target.era === "auto" && !hasOneConnection(target) && era === "legacy";
    if (!isGuess || !(error instanceof UpstreamFault) || !isRejected(error)) throw error;
    return handshakeAs(around, target, null, deadline);
  }
}

/** Whether the server rejected the session or the protocol of the request. */
function isRejected({ status }: UpstreamFault): boolean {
  return status === 400 || status === 404 || status === 405;
}

/** Whether the server has lost the session that the connection resumed. */
export function isLost(fault: UpstreamFault, { resumed }: Connection): boolean {
  return resumed !== null && isRejected(fault);
}

async function handshakeAs(
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

/** Returns the memory, updated with the results of a handshake. */
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

/** Opens one more connection to a session, for questions of the server that concern any of these calls. */
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
  // The waiting call receives a failure. Other errors are not relevant.
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
