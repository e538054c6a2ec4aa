// The tools of this skill: its references by name, and drawing on the user's page.

import { diagramOf, TYPES } from "./diagram.js";
import { repairOf } from "./repair.js";

const REFERENCES = [...new Set([...TYPES.map((type) => type.reference), "troubleshooting"])];
const CODE_CHARS = 50_000;

export class MermaidToolProvider {
  get providerName() {
    return "mermaid";
  }

  get supportedTools() {
    return ["read_mermaid_reference", "render_mermaid"];
  }

  createTool(toolName, context) {
    return toolName === "render_mermaid" ? renderer(context) : reader(context);
  }
}

function reader(context) {
  return {
    description: "Read how one type of Mermaid diagram is written: its syntax, examples and traps.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", enum: REFERENCES, description: "The reference's name." } },
      required: ["name"],
      additionalProperties: false,
    },
    async call({ name }) {
      if (!REFERENCES.includes(name))
        return failed({ error: `There is no reference '${name}'.`, references: REFERENCES });
      return context.readFile(`references/${name}.md`);
    },
  };
}

function renderer(context) {
  return {
    description:
      "Draw a Mermaid diagram on the user's page. Answers with its type and size, or with what is wrong with the code and where.",
    inputSchema: {
      type: "object",
      properties: {
        code: { type: "string", description: "Mermaid code, without a fence." },
        title: { type: "string", description: "A short title for the diagram." },
      },
      required: ["code"],
      additionalProperties: false,
    },
    async call({ code: given, title }) {
      const { code, type, problem } = diagramOf(given);
      if (problem !== undefined) return failed({ error: problem, types: TYPES.map(({ opening }) => opening) });
      if (code.length > CODE_CHARS)
        return failed({ error: `The code has more than ${CODE_CHARS} characters: split the diagram.` });
      const payload = { code, diagram_type: type.reference, ...(typeof title === "string" ? { title } : {}) };
      const { success, result, error } = await context.request("render_mermaid", payload, { require_client: true });
      if (success) return drawn(result, type);
      context.log(`not drawn: ${textOf(error)}`);
      return failed(repairOf(code, textOf(error), type));
    },
  };
}

/** What the page tells of a picture. The picture itself stays there. */
function drawn(result, type) {
  const { type: told, width, height } = typeof result === "object" && result !== null ? result : {};
  const size = Number.isFinite(width) && Number.isFinite(height) ? { width, height } : {};
  return {
    rendered: true,
    type: typeof told === "string" ? told.slice(0, 64) : type.reference,
    ...size,
    note: "The user sees the diagram. Do not repeat its code.",
  };
}

function failed(facts) {
  return { content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: facts, isError: true };
}

function textOf(error) {
  if (typeof error === "string" && error !== "") return error.slice(0, 4_000);
  if (typeof error?.message === "string") return error.message.slice(0, 4_000);
  return "The page did not say why.";
}
