// What a session remembers beside its state, so that asking again within a turn is cheap. Lost with the object; nothing depends on it.

import type { Newest } from "../domain/access/newest-identity";
import type { View } from "../domain/catalog/view";
import { PARALLEL } from "../domain/code/script-limits";
import type { ConversationState } from "../domain/conversation/activation";
import type { ModelStep } from "../domain/conversation/event";
import type { Front } from "../domain/conversation/front";
import type { Offered, OfferedServer, ToolMemory, ToolSources } from "../domain/conversation/offered";
import type { RenderedPrompt } from "../domain/conversation/prompt";
import type { ConversationSettings } from "../domain/conversation/settings";
import type { Uses } from "../domain/conversation/skill-use";
import type { Issue } from "../domain/errors";
import type { JsonObject } from "../domain/json";
import type { CallSummary } from "../domain/questions/call-frame";
import type { UpstreamMemory } from "../domain/servers/memory";
import type { Format } from "../domain/tools/formats";
import type { ToolFinding } from "../domain/tools/listing";
import { Slots } from "../sandbox/slots";
import type { Upstream } from "../upstream/client";
import type { HostQuestions } from "./host-questions";

/** What is active and offered as somebody sees it who only looks. */
export interface StandingView {
  view: View;
  /** Without the active skills that the view no longer has. */
  state: ConversationState;
  warnings: Issue[];
}

/** The prompt and the tools in the form that the caller's API takes. */
export interface RenderedOffer {
  prompt: RenderedPrompt;
  tools: JsonObject[];
  /** Changes exactly when the prompt or the tools do. */
  etag: string;
}

/** A server's list of tools on its way, which connects to it where that is not done. */
export interface Refreshing {
  since: number;
  done: Promise<void>;
}

/** A connection to a server, with how it last went. */
export interface LiveConnection {
  upstream: Upstream;
  error: OfferedServer["error"];
  latency: OfferedServer["latency"];
  refreshing: Refreshing | null;
  /** What the store has. */
  saved: { memory: UpstreamMemory; error: string | null } | null;
}

/** A call that runs. */
export interface RunningCallState {
  /** The digest of what is asked. */
  request: string;
  /** A tool's result, or a prompt: what the digest says. */
  result: Promise<object>;
  /** What its host is asked; `null` where a host made it that cannot be asked, or none. */
  host: HostQuestions | null;
}

/** An entry that is read or worked out is `null` until it is first asked for. */
export interface SessionMemory {
  /** The newest that any caller came with. */
  newest: Newest | null;
  /** The view that was last seen by looking, so that looking again reads nothing. */
  looked: { before: ConversationState; seen: StandingView } | null;
  /** A view that was read before the conversation was made. */
  ahead: View | null;
  /** The view of before, until it was looked at which servers have left with it. */
  left: View | null;
  /** What is kept of offered tools, and the text of it that is stored. `unsaved`: somebody who only looks worked it out. */
  tools: { kept: ToolMemory; written: string; unsaved: boolean } | null;
  sources: { key: string; sources: ToolSources } | null;
  offered: { sources: ToolSources; revision: number; offered: Offered } | null;
  /** What the store has of the front of the prompt. */
  front: { kept: Front | null } | null;
  /** What the store has of whether tools are listed or found. */
  finding: { kept: ToolFinding | null } | null;
  /** What the store has of the use of skills. */
  uses: { kept: Uses } | null;
  /** How many isolates of skill code are in flight. */
  slots: Slots;
  /** When a step last began, in milliseconds since the epoch; 0 before the first. */
  lastStep: number;
  /** The model step under way, and how many of this turn no event tells of. */
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
  /** The list of tools as MCP hosts have it, and the digest that names it. */
  forClient: { offer: RenderedOffer; view: View; tools: JsonObject[]; digest: string } | null;
  /** The digest of the list that a host was told last. */
  listed: string | null;
  /** Calls that run now, by id, as pages are shown them. */
  readonly running: Map<string, CallSummary>;
  /** Calls that run, by id: one that waits for an answer is not made a second time beside itself. */
  readonly held: Map<string, RunningCallState>;
  /** How many calls have begun. */
  calls: number;
  /** Whether a page was ever shown calls. */
  shown: boolean | null;
  /** By what names their target; `revision` rises with everything that may change what servers offer. */
  readonly connections: { readonly live: Map<string, LiveConnection>; revision: number };
  /** Whether a server has said, since a host of 2025 was told last, that it has other resources or prompts. */
  otherThings: boolean;
}

/** The memory of a session that was just opened. */
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
    calls: 0,
    shown: null,
    slots,
    connections,
    otherThings: false,
  };
}
