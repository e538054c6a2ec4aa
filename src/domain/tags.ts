// The tags of the blocks that skill texts stand in, and how a text is kept from reading as one of them.

const TAGS = ["skill", "application_skill_context"];

/** What reads as `<` by itself: its compatibility forms, and the one that is `<` with a combining stroke. */
const OPENERS = /[<\uff1c\ufe64\u226e]/g;
/** What a reader does not see, or does not care for, between the letters of a tag. */
const BETWEEN = /[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Makes `<skill>`, `</skill>` and the same of the other block harmless, however they are written and whatever follows, so that a
 * skill's text can neither open nor close the block it stands in. Only the angle bracket that opens changes.
 */
export function escapeSkillTags(text: string): string {
  return text.replace(OPENERS, (opener, at: number) => (opensTag(text, at + opener.length) ? "&lt;" : opener));
}

/**
 * Whether the text reads as a tag from here on. It stops at the first character that does not fit, and no `<` fits, so a text is
 * gone through at most once for all of them.
 */
function opensTag(text: string, from: number): boolean {
  let read = "";
  for (let at = from; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    // Lower-cased first too: the capital of a ligature or of a letter with a dot has more than one form.
    read += character.toLowerCase().normalize("NFKD").replace(BETWEEN, "").toLowerCase();
    while (read.startsWith("/")) read = read.slice(1);
    if (TAGS.some((tag) => read.startsWith(tag))) return true;
    if (!TAGS.some((tag) => tag.startsWith(read))) return false;
  }
  return false;
}
