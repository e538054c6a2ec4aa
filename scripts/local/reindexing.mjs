// Makes a gateway rebuild its search index, one part per request.

import { Refusal } from "../kit/refusal.mjs";
import { nothingAnswers } from "./chosen-gateway.mjs";

/** @returns {Promise<number>} the number of indexed skills */
export async function reindexAt(url, key) {
  let total = 0;
  for (let after = 0; after !== null; ) {
    const answer = await fetch(new URL("/api/v1/search-index", url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ after }),
      signal: AbortSignal.timeout(60_000),
    }).catch((error) => {
      throw nothingAnswers(url, error);
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refusal(`${url} returned HTTP ${answer.status}: ${body.code ?? ""} ${body.detail ?? ""}`);
    total += body.indexed;
    after = body.next;
  }
  return total;
}
