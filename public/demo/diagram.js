// The page's side of a diagram: asks the sandboxed renderer, which is loaded when the first one is drawn.

let renderer = null;
let queue = Promise.resolve();

/** Draws mermaid code; throws what mermaid says about code that it cannot read. One after the other: the frame has one desk. */
export function draw(code) {
  const drawn = queue.then(() => drawNow(code));
  queue = drawn.catch(() => {});
  return drawn;
}

async function drawNow(code) {
  renderer ??= openRenderer();
  const port = await renderer;
  const answer = await new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
    port.postMessage({ code, dark: matchMedia("(prefers-color-scheme: dark)").matches });
  });
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

function openRenderer() {
  const frame = document.createElement("iframe");
  frame.src = "renderer";
  frame.sandbox = "allow-scripts";
  frame.className = "offstage";
  frame.title = "Diagram renderer";
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  return new Promise((resolve) => {
    addEventListener("message", function listen({ data, source }) {
      if (data !== "renderer" || source !== frame.contentWindow) return;
      removeEventListener("message", listen);
      const { port1, port2 } = new MessageChannel();
      frame.contentWindow.postMessage("renderer", "*", [port2]);
      resolve(port1);
    });
    document.body.append(frame);
  });
}

/** The address of an image. */
export const pictureOf = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

/** A drawn diagram for the chat. As a picture it can neither run nor load anything. */
export function figureOf({ svg, width, height }, code, title) {
  const figure = document.createElement("figure");
  const picture = document.createElement("img");
  picture.src = pictureOf(svg);
  // Both, so that its place is there before it is: what comes after stays in view.
  picture.width = Math.ceil(width);
  picture.height = Math.ceil(height);
  picture.alt = title;
  const caption = document.createElement("figcaption");
  const source = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = title;
  const text = document.createElement("pre");
  text.textContent = code;
  // It may scroll, also by keyboard.
  text.tabIndex = 0;
  source.append(summary, text);
  caption.append(source);
  figure.append(picture, caption);
  return figure;
}
