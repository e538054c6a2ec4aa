// Draws diagrams in a frame without access to anything: its own origin, no network, no storage. It receives code through a port and returns
// SVG.

import mermaid from "./mermaid/mermaid.esm.min.mjs";

let count = 0;

addEventListener("message", ({ data, ports: [port] }) => {
  if (data !== "renderer" || port === undefined) return;
  port.onmessage = async ({ data: { code, dark } }) => {
    try {
      port.postMessage(await draw(code, dark));
    } catch (error) {
      port.postMessage({ error: error instanceof Error ? error.message : String(error) });
    }
  };
});
parent.postMessage("renderer", "*");

async function draw(code, dark) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    // Labels as SVG text: a picture has no HTML.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: dark ? "dark" : "default",
  });
  const { svg, diagramType } = await mermaid.render(`diagram-${++count}`, code);
  const picture = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  const [, , width, height] = picture.getAttribute("viewBox").split(/\s+/).map(Number);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  return { svg: new XMLSerializer().serializeToString(picture), type: diagramType, width, height };
}
