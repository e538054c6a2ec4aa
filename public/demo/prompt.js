// What the model reads: how long it was as the turn began and is now, and what of it the provider has read before.

/** Characters of an ordinary English token: the page counts letters, as the tokenizer would be larger than itself. */
const LETTERS = 4;

const at = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const tokens = (characters) => `≈ ${number(Math.round(characters / LETTERS))}`;
const PARTS = ["front", "skills", "chat"];

/**
 * Nothing that was sent changes, so that each request to the model begins with all of the one before.
 * @param {import("./backend.js").Seen} seen
 * @param {object[]} messages
 */
export function showRequest(seen, messages) {
  const { count, characters, before, repeated, isFirst } = seen;
  const begins = repeated === before ? `all ${number(before)}` : `${number(repeated)} of the ${number(before)}`;
  at("prompt").dataset.kept = String(repeated === before);
  at("prompt").textContent =
    count === 1
      ? `The first request has ${number(characters)} characters.`
      : `Request ${count} begins with ${begins} characters of the one before; ${number(characters - repeated)} are new.`;
  at("sizes").hidden = false;
  for (const part of PARTS) {
    if (isFirst) at(`${part}-before`).textContent = tokens(seen[part]);
    at(`${part}-now`).textContent = tokens(seen[part]);
  }
  if (isFirst) at("all-before").textContent = tokens(characters);
  at("all-now").textContent = tokens(characters);
  at("reads").hidden = false;
  at("read").textContent = messages.map(asText).join("\n\n");
}

/** By the gateway's own count, of all turns so far. */
export function showSaved({ static: pasted, actual, saved_percent }) {
  if (pasted === 0) return;
  at("saved").textContent =
    `Skills have cost ${number(actual)} tokens up to now, and ${number(pasted)} with all of them pasted: ${saved_percent}\u00a0% less.`;
}

function asText({ role, content, tool_calls = [] }) {
  const calls = tool_calls.map(({ function: made }) => `→ ${made.name} ${made.arguments}`);
  return [`[${role}]`, ...(content ? [content] : []), ...calls].join("\n");
}
