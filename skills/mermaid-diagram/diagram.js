// Which diagram a text is, before anybody is asked to draw it.

/** The types this skill has references for, by the word that opens them. */
export const TYPES = [
  { opening: "flowchart", words: /^(flowchart|graph)\b/, reference: "flowchart" },
  { opening: "sequenceDiagram", words: /^sequenceDiagram\b/, reference: "sequence" },
  { opening: "classDiagram", words: /^classDiagram\b/, reference: "class" },
  { opening: "stateDiagram-v2", words: /^stateDiagram(-v2)?\b/, reference: "state" },
  { opening: "erDiagram", words: /^erDiagram\b/, reference: "er" },
  { opening: "gantt", words: /^gantt\b/, reference: "gantt" },
  { opening: "pie", words: /^pie\b/, reference: "pie" },
  { opening: "mindmap", words: /^mindmap\b/, reference: "mindmap" },
  { opening: "timeline", words: /^timeline\b/, reference: "timeline" },
  { opening: "gitGraph", words: /^gitGraph\b/, reference: "gitgraph" },
];

/** Other types that Mermaid knows: the page may draw them, this skill says nothing of them. */
const OTHERS =
  /^(journey|quadrantChart|requirementDiagram|C4\w+|sankey(-beta)?|xychart(-beta)?|block(-beta)?|packet(-beta)?|architecture(-beta)?|kanban|zenuml|radar(-beta)?|treemap(-beta)?)\b/;

/** The code without a fence, and its type; or what is wrong before it is drawn. */
export function diagramOf(given) {
  if (typeof given !== "string" || given.trim() === "") return { problem: "There is no code." };
  const code = given
    .trim()
    .replace(/^(`{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/, "$2")
    .trim();
  const opening = firstLine(code);
  const type = TYPES.find(({ words }) => words.test(opening));
  if (type !== undefined) return { code, type };
  if (OTHERS.test(opening)) return { code, type: { opening, reference: null } };
  return { problem: `The first line must name the type of diagram, and '${opening.slice(0, 80)}' names none.` };
}

/** The first line that is no comment, directive or front matter. */
function firstLine(code) {
  const lines = code.replace(/^---\n[\s\S]*?\n---\n/, "").split("\n");
  return (lines.find((line) => line.trim() !== "" && !line.trim().startsWith("%%")) ?? "").trim();
}
