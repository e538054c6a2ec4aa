// Reports a conversation's billed tokens, and warnings about avoidable costs.

import type { ConversationState } from "../../../domain/conversation/activation";
import { billedOf } from "../../../domain/conversation/ledger";
import { type CachePrice, isStale, priceNamed } from "../../../domain/conversation/prices";
import type { Usage } from "../../../domain/conversation/usage";
import type { Issue } from "../../../domain/errors";
import type { Format } from "../../../domain/tools/formats";
import type { ConversationStatus } from "../replies";

/** Returns a warning if an Anthropic caller's reports show that nothing of its history is cached. */
export function cacheWarnings({ ledger, policy }: ConversationState, format: Format, usage: Usage | null): Issue[] {
  if (usage === null || format !== "anthropic" || policy?.delivery !== "auto" || !ledger.uncached) return [];
  const message =
    "The provider does not cache the history, so each step is billed in full. Set `cache_control.conversation` of the turn's answer on the last block that you send.";
  return [{ code: "HISTORY_NOT_CACHED", message }];
}

/** Returns the billed tokens of a conversation. */
export function billedReply({ ledger }: ConversationState): ConversationStatus["tokens"]["billed"] {
  const row = rowOf(ledger.price);
  const price = row === null ? "no price known" : `${row.match}*, checked ${row.checked}: ${row.source}`;
  return { ...billedOf(ledger), price };
}

/** Returns a warning if the price was last checked too long ago. */
export function priceWarnings({ ledger }: ConversationState, now: number): Issue[] {
  const row = rowOf(ledger.price);
  if (row === null || !isStale(row, now)) return [];
  const message = `The prices of ${row.match}* were last checked on ${row.checked} and may be outdated. Compare them with the price list of the provider.`;
  return [{ code: "PRICE_OLD", message }];
}

/** The table may have changed since; the ledger uses the prices it stored. */
function rowOf(price: ConversationState["ledger"]["price"]): CachePrice | null {
  return price?.match == null ? null : priceNamed(price.match);
}
