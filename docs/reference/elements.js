// Elements from data. Every text goes in as a text node: nothing that the document says can be markup.

/** An element with attributes and children; a child may be a text, and `null` is none. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

/** A text of the document: what stands between backticks is code. */
export function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}

/** Details whose body is made when they are first open: schemas may hold themselves, and there is much of everything. */
export function folded(attributes, summary, body) {
  const made = element("details", attributes, element("summary", {}, ...summary));
  made.addEventListener("toggle", () => made.append(...body()), { once: true });
  return made;
}

/** A block of code that may scroll, also by keyboard. */
export function block(text, label) {
  return element("pre", { tabindex: "0", role: "region", "aria-label": label }, element("code", {}, text));
}
