// Escapes the tags of the blocks that surround skill texts, so that a text cannot open or close a block.

const TAGS = ["skill", "application_skill_context"];

/** Characters that read as `<`: compatibility forms, and the one decomposed to `<` with a stroke. */
const OPENERS = /[<\uff1c\ufe64\u226e]/g;
/** Characters between the letters of a tag that a reader does not see or ignores. */
const BETWEEN = /[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Escapes `<skill>`, `</skill>` and the tags of the other block in every spelling, so that a skill's text cannot open or close its block.
 * Only the opening bracket changes.
 */
export function escapeSkillTags(text: string): string {
  return text.replace(OPENERS, (opener, at: number) => (opensTag(text, at + opener.length) ? "&lt;" : opener));
}

/**
 * Whether the text reads as a tag from here. It stops at the first other character, and no `<` matches, so a text is read at most once in
 * total.
 */
function opensTag(text: string, from: number): boolean {
  let read = "";
  for (let at = from; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    // Converted to lower case first, because some capitals (ligatures, dotted letters) have several forms.
    read += character.toLowerCase().normalize("NFKD").replace(BETWEEN, "").toLowerCase();
    while (read.startsWith("/")) read = read.slice(1);
    if (TAGS.some((tag) => read.startsWith(tag))) return true;
    if (!TAGS.some((tag) => tag.startsWith(read))) return false;
  }
  return false;
}
