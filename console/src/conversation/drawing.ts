// Draws diagrams for skills in an isolated frame: a separate origin, no network and no storage.

import { fieldsIn } from "../gateway/refusal";
import { t } from "../text/text";

/** A diagram. As an image it can neither run scripts nor load resources. */
export interface Drawing {
  title: string;
  code: string;
  svg: string;
  width: number;
  height: number;
}

const RENDERER = "/drawing/renderer";

let renderer: Promise<MessagePort> | null = null;
let queue: Promise<unknown> = Promise.resolve();

/** Answers the action `render_mermaid`. Throws mermaid's error for invalid code, which is returned to the model. */
export async function drawn(payload: unknown): Promise<{ drawing: Drawing; type: string }> {
  const { code, title } = fieldsIn(payload);
  if (typeof code !== "string") throw new Error("The request has no `code`.");
  // The frame renders one diagram at a time.
  const turn = queue.then(() => drawNow(code));
  queue = turn.catch(() => undefined);
  const { error, svg, type, width, height } = await turn;
  if (typeof error === "string") throw new Error(error);
  if (typeof svg !== "string") throw new Error("The renderer returned no diagram.");
  const size = (given: unknown) => (typeof given === "number" ? Math.ceil(given) : 0);
  return {
    drawing: {
      title: typeof title === "string" ? title : t("Diagram"),
      code,
      svg,
      width: size(width),
      height: size(height),
    },
    type: typeof type === "string" ? type : "diagram",
  };
}

/** Returns a data URL for an `<img>`. */
export const pictureOf = (svg: string): string => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

async function drawNow(code: string): Promise<Record<string, unknown>> {
  renderer ??= openRenderer();
  const port = await renderer;
  return new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(fieldsIn(data));
    port.postMessage({ code, dark: matchMedia("(prefers-color-scheme: dark)").matches });
  });
}

function openRenderer(): Promise<MessagePort> {
  const frame = document.createElement("iframe");
  frame.src = RENDERER;
  frame.sandbox.add("allow-scripts");
  frame.className = "unseen";
  frame.title = "Diagram renderer";
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  return new Promise((resolve) => {
    addEventListener("message", function listen({ data, source }: MessageEvent) {
      if (data !== "renderer" || source !== frame.contentWindow) return;
      removeEventListener("message", listen);
      const { port1, port2 } = new MessageChannel();
      frame.contentWindow?.postMessage("renderer", "*", [port2]);
      resolve(port1);
    });
    document.body.append(frame);
  });
}
