// Models of one protocol that do not take what the others take.

import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { FoundModel, ModelCall } from "./upstream";

/** Models that are known to take less. Nothing depends on it: one that is not known here is asked twice. */
const lesser = new Set<string>();
const MOST_KNOWN = 1_000;

/** Asks once more, and less, where a model refuses what only some models take. */
export function patientCall(protocol: Protocol, { scope, name, entry }: FoundModel, call: ModelCall): ModelCall {
  const key = JSON.stringify([scope, name, entry.base_url, entry.model]);
  const less = protocol.lesser;
  if (less === undefined) return call;
  return async (body, signal) => {
    const known = lesser.has(key) ? less(body, null) : null;
    try {
      return await call(known ?? body, signal);
    } catch (error) {
      const again = known === null && error instanceof ChatRefusal ? less(body, error) : null;
      if (again === null) throw error;
      if (lesser.size < MOST_KNOWN) lesser.add(key);
      return call(again, signal);
    }
  };
}
