// What is stored of a query that found nothing.

import { redactedCredentials } from "../inspection/rules";

/** Characters of a stored query. */
const QUERY_CHARS = 200;

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,255}/gu;
/** Numbers of cards, accounts and telephones. */
const LONG_NUMBER = /\+?\d(?:[ ().-]?\d){7,}/g;
/** User and password in an address. */
const USER_IN_URL = /(?<=:\/\/)[^\s/@]{1,200}(?=@)/g;

/** Returns the query on one line without secrets, mail addresses and long numbers, cut to `QUERY_CHARS`; `null` if nothing is left. */
export function storedQuery(query: string): string | null {
  const plain = query
    .normalize("NFKC")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  const redacted = redactedCredentials(plain.slice(0, 8 * QUERY_CHARS))
    .replace(USER_IN_URL, REDACTED)
    .replace(EMAIL, REDACTED)
    .replace(LONG_NUMBER, REDACTED);
  return [...redacted].slice(0, QUERY_CHARS).join("") || null;
}

const REDACTED = "[removed]";
