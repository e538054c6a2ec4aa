// Adds turns and model steps to the ledger, within events that are written anyway. Only steps with reported usage have an event of their
// own.

import { renderList } from "../../../domain/catalog/list";
import type { View } from "../../../domain/catalog/view";
import type { Policy, TurnLedger } from "../../../domain/conversation/event";
import { type Front, linesOf, preloadOf } from "../../../domain/conversation/front";
import { ledgerPrice } from "../../../domain/conversation/ledger";
import { priceOf } from "../../../domain/conversation/prices";
import type { Usage } from "../../../domain/conversation/usage";
import { utf8Bytes } from "../../../domain/json";
import { estimateFileTokens } from "../../../domain/tokens";
import type { ToolCall } from "../../../domain/tool";
import { builtinOf } from "../../../domain/tools/builtin";
import { constantTools } from "../../../domain/tools/constant";
import type { Context } from "../../context";
import { record, type Session } from "../../session";
import type { Renewal } from "../auto/front";
import type { HistoryFacts } from "../auto/history-plan";

/** Measured tokens of the built-in tools if their list changes. */
const CHANGING_TOOLS = 350;

/** Returns the ledger data of a turn's event, including the steps of the previous turn. */
export function turnLedger(
  context: Context,
  session: Session,
  request: HistoryFacts,
  {
    policy,
    view,
    front,
    list,
    cold,
  }: { policy: Policy; view: View; front: Renewal | null; list: number; cold: boolean },
): TurnLedger {
  endStep(session);
  const steps = session.memory.untold;
  session.memory.untold = 0;
  const own =
    policy.delivery === "auto"
      ? ownOfFront(front?.front ?? linesOf(view.catalog, preloadOf(view)))
      : CHANGING_TOOLS + list;
  return {
    at: context.now(),
    cold,
    price: ledgerPrice(request.model === null ? null : priceOf(request.model)),
    shared: tokensIn(view.system_prompt),
    own: view.catalog.total === 0 ? 0 : own,
    history_tokens: request.history_tokens,
    usage: request.usage,
    steps,
  };
}

/** Records a model step by its calls, and the usage of its request. The same calls are the same step. */
export function recordStep(
  context: Context,
  session: Session,
  calls: readonly (ToolCall & { id: string })[],
  usage: Usage | null,
): void {
  const { memory } = session;
  const ids = JSON.stringify(calls.map(({ id }) => id));
  if (memory.step?.ids === ids) return;
  endStep(session);
  // A second step within the same millisecond gets a later time.
  const at = Math.max(context.now(), (session.state.ledger.open?.at ?? 0) + 1);
  const step = { at, alone: calls.every(isLoading) };
  memory.step = { ...step, ids };
  if (usage !== null) record(session, context, [{ type: "step", turn: session.state.turn, step, usage }]);
}

/** A step without an event is recorded with the next turn. */
function endStep({ memory, state }: Session): void {
  const { step } = memory;
  if (step !== null && state.ledger.open?.at !== step.at) memory.untold++;
  memory.step = null;
}

/** Whether a call would not exist if all instructions were in the prompt. */
function isLoading({ name }: ToolCall): boolean {
  return name === "find_skill" || builtinOf(name)?.effect === "loads";
}

function ownOfFront({ lines, more }: Pick<Front, "lines" | "more">): number {
  return tokensIn(JSON.stringify(constantTools())) + tokensIn(renderList(lines, more));
}

function tokensIn(text: string): number {
  return estimateFileTokens(utf8Bytes(text));
}
