// The text with a link that the gateway adds to an answer whose call waits for a sign-in.

const LATER = "Then send a message, and the call continues.";
const NOW = "The call continues when you have signed in.";

/** @param waits whether the answer stays open for the sign-in */
export function signInNote(links: readonly { server: string; url: string }[], waits: boolean): string {
  const lines = links.map(({ server, url }) => `Sign in to ${server}: ${url}`);
  return `${lines.join("\n")}\n\n${waits ? `${NOW} If this answer has ended by then, send a message.` : LATER}`;
}

/** Returns a shown text without notes, for comparisons with the texts of the model. */
export function withoutSignInNotes(text: string): string {
  return text.replace(NOTE, "");
}

const NOTE = new RegExp(
  `(?:Sign in to \\S+: https?://\\S+/oauth/connect/\\w+\\s*)+(?:${NOW}(?: If this answer has ended by then, send a message\\.)?|${LATER})?\\s*`,
  "g",
);
