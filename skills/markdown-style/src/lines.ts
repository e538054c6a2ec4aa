// A Markdown text line by line, each with what it is.

export interface Finding {
  /** Counted from 1. */
  line: number;
  rule: string;
  message: string;
}

export type Kind = "blank" | "heading" | "list" | "table" | "fence" | "code" | "text";

export interface Line {
  number: number;
  text: string;
  kind: Kind;
}

export function linesOf(text: string): Line[] {
  let fence: string | null = null;
  return text.split(/\r?\n/).map((content, index): Line => {
    const line = { number: index + 1, text: content };
    const mark = /^\s*(`{3,}|~{3,})/.exec(content)?.[1];
    if (fence !== null) {
      const closes = mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
      if (closes) fence = null;
      return { ...line, kind: closes ? "fence" : "code" };
    }
    if (mark !== undefined) {
      fence = mark;
      return { ...line, kind: "fence" };
    }
    return { ...line, kind: kindOf(content) };
  });
}

function kindOf(text: string): Kind {
  if (text.trim() === "") return "blank";
  if (/^#{1,6}\s/.test(text)) return "heading";
  if (/^\s*([-*+]|\d+[.)])\s/.test(text)) return "list";
  if (/^\s*\|.*\|\s*$/.test(text)) return "table";
  return "text";
}
