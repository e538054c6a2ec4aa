// A call of an MCP tool whose server may ask something meanwhile, and who then answers.

import type { Abilities } from "../../domain/servers/memory";
import type { ServerQuestion } from "../../domain/servers/round";
import type { Inquiry, Responded } from "../../upstream/inquiry";

/** The host that made a call, where it can be asked. */
export interface HostLink {
  readonly abilities: Abilities;
  /** Asks all of it together. */
  ask(questions: readonly ServerQuestion[]): Promise<Responded[]>;
}

/** A call whose server may ask: as its result is found by, and who made it. */
export interface AskingCall {
  id: string;
  turn: number;
  /** A digest of the call's name and arguments. */
  request: string;
  /** Aborted when nobody waits for the call any more. */
  signal: AbortSignal;
  host: HostLink | null;
}

/** `remarks` are for the model, beside the call's result: why something was not asked. */
export interface CallInquiry extends Inquiry {
  readonly remarks: readonly string[];
  /** The call is over: what is open still is withdrawn. */
  close(): void;
}
