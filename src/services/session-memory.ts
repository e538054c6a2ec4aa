// Caches of a session, so that repeated reads within a turn are cheap. Lost with the object; nothing depends on them.

import type { Newest } from "../domain/access/newest-identity";
import type { View } from "../domain/catalog/view";
import { PARALLEL } from "../domain/code/script-limits";
import type { ConversationState } from "../domain/conversation/activation";
import type { FinishedCall, ModelStep } from "../domain/conversation/event";
import type { Front } from "../domain/conversation/front";
import type { Offered, OfferedServer, ToolMemory, ToolSources } from "../domain/conversation/offered";
import type { RenderedPrompt } from "../domain/conversation/prompt";
import type { ConversationSettings } from "../domain/conversation/settings";
import type { Uses } from "../domain/conversation/skill-use";
import type { Issue } from "../domain/errors";
import type { JsonObject } from "../domain/json";
import type { CallSummary } from "../domain/questions/call-frame";
import type { UpstreamMemory } from "../domain/servers/memory";
import type { TraceContext } from "../domain/telemetry/trace-context";
import type { Format } from "../domain/tools/formats";
import type { ToolFinding } from "../domain/tools/listing";
import { Slots } from "../sandbox/slots";
import type { Upstream } from "../upstream/client";
import type { HostQuestions } from "./host-questions";
import { SignInWaits } from "./sign-in-waits";

/** What is active and offered, as a read sees it. */
export interface StandingView {
  view: View;
  /** Without active skills that the view no longer has. */
  state: ConversationState;
  warnings: Issue[];
}

/** The prompt and tools in the format of the caller's API. */
export interface RenderedOffer {
  prompt: RenderedPrompt;
  tools: JsonObject[];
  /** Changes exactly when the prompt or the tools do. */
  etag: string;
}

/** A running read of a server's tool list, including the connect. */
export interface Refreshing {
  since: number;
  done: Promise<void>;
}

/** A connection to a server, with its last result. */
export interface LiveConnection {
  upstream: Upstream;
  error: OfferedServer["error"];
  latency: OfferedServer["latency"];
  refreshing: Refreshing | null;
  /** What is stored. */
  saved: { memory: UpstreamMemory; error: string | null } | null;
}

/** A running call. */
export interface RunningCallState {
  /** Digest of the request. */
  request: string;
  /** A tool result or a prompt, depending on the request. */
  result: Promise<object>;
  /** Questions to its host; `null` without a host, or with one that cannot be asked. */
  host: HostQuestions | null;
}

/** Entries are `null` until first used. */
export interface SessionMemory {
  /** The newest identity that any caller brought. */
  newest: Newest | null;
  /** The result of the last read, so that reading again computes nothing. */
  looked: { before: ConversationState; seen: StandingView } | null;
  /** A view that was read before the conversation was created. */
  ahead: View | null;
  /** The previous view, until its removed servers were handled. */
  left: View | null;
  /** Stored data of offered tools, and its stored text. `unsaved`: computed by a read and not stored. */
  tools: { kept: ToolMemory; written: string; unsaved: boolean } | null;
  sources: { key: string; sources: ToolSources } | null;
  offered: { sources: ToolSources; revision: number; offered: Offered } | null;
  /** The stored front of the prompt. */
  front: { kept: Front | null } | null;
  /** The stored decision whether tools are listed or searched. */
  finding: { kept: ToolFinding | null } | null;
  /** The stored usage of skills. */
  uses: { kept: Uses } | null;
  /** Limits the isolates of skill code. */
  slots: Slots;
  /** Start of the last step, in milliseconds since the epoch; 0 before the first. */
  lastStep: number;
  /** The current model step, and the number of steps of this turn without an event. */
  step: (ModelStep & { ids: string }) | null;
  untold: number;
  rendered: {
    state: ConversationState;
    view: View;
    effective: ConversationSettings;
    format: Format;
    revision: number;
    offer: RenderedOffer;
  } | null;
  /** The tool list for MCP hosts, and its digest. */
  forClient: { offer: RenderedOffer; view: View; tools: JsonObject[]; digest: string } | null;
  /** Digest of the list that a host last received. */
  listed: string | null;
  /** Running calls by id, as pages see them. */
  readonly running: Map<string, CallSummary>;
  /** Finished calls of the current turn by id, until the event of the next turn stores them. */
  readonly made: Map<string, FinishedCall>;
  /** Running calls by id. A call that waits for an answer is not started a second time. */
  readonly held: Map<string, RunningCallState>;
  /** Callers that show links for signing in to servers. */
  readonly signIns: SignInWaits;
  /** The trace of the last turn that has one; `turn: -1`: none is stored. `null` until read. */
  trace: { turn: number; trace: TraceContext | null } | null;
  /** Number of started calls. */
  calls: number;
  /** Whether a page ever subscribed to calls. */
  shown: boolean | null;
  /** By the key of the target. `revision` rises with everything that can change what servers offer. */
  readonly connections: { readonly live: Map<string, LiveConnection>; revision: number };
  /** Whether a server announced changed resources or prompts since a host of MCP 2025 was last notified. */
  otherThings: boolean;
}

/** Returns the caches of a session that was just opened. */
export function emptyMemory(newest: Newest | null): SessionMemory {
  const connections = { live: new Map<string, LiveConnection>(), revision: 0 };
  const client = { forClient: null, listed: null };
  const slots = new Slots(PARALLEL.conversation);
  const front = { front: null, finding: null, uses: null, lastStep: 0, step: null, untold: 0 };
  return {
    newest,
    looked: null,
    ahead: null,
    left: null,
    tools: null,
    sources: null,
    offered: null,
    rendered: null,
    ...client,
    ...front,
    running: new Map(),
    held: new Map(),
    made: new Map(),
    signIns: new SignInWaits(),
    trace: null,
    calls: 0,
    shown: null,
    slots,
    connections,
    otherThings: false,
  };
}
