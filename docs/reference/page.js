// The API reference: what /openapi.json says, as a page. The gateway that serves the page serves the document, so they agree.

import { element, prose } from "./elements.js";
import { operationsOf, operationView } from "./operation.js";
import { Schemas } from "./schema.js";

const at = (id) => document.getElementById(id);

/** Every operation with its element, and every group with its own. */
let shown = [];
let groups = [];

try {
  draw(await served());
  at("words").addEventListener("input", search);
  addEventListener("hashchange", follow);
  search();
  follow();
} catch (error) {
  at("failure").textContent = `${error.message} Reload the page to try again.`;
}

async function served() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status} when asked for the OpenAPI document.`);
  return await answer.json();
}

function draw(described) {
  const schemas = new Schemas(described);
  shown = operationsOf(described, schemas).map((one) => ({ ...one, view: operationView(one, schemas) }));
  const byTag = Map.groupBy(shown, ({ tag }) => tag);
  groups = described.tags.map(({ name, description }) => {
    const id = `group-${name}`;
    const heading = element("h2", { id }, name);
    const members = byTag.get(name) ?? [];
    const view = element("section", { "aria-labelledby": id }, heading, element("p", {}, ...prose(description)));
    view.append(...members.map((one) => one.view));
    return { view, members, link: element("a", { href: `#${id}` }, name) };
  });
  at("about").append(
    ...described.info.description.split("\n\n").map((text) => element("p", {}, ...prose(text))),
    element(
      "p",
      { class: "soft" },
      `Version ${described.info.version}. For programs: `,
      element("a", { href: "/openapi.json" }, "the OpenAPI document"),
      ". In words: ",
      element("a", { href: "api/README.md" }, "the pages of the HTTP API"),
      ".",
    ),
  );
  at("groups").append(element("ul", {}, ...groups.map(({ link }) => element("li", {}, link))));
  at("operations").append(...groups.map(({ view }) => view));
}

/** Shows the operations that have all the words, in any order, and the groups that have any of those. */
function search() {
  const words = at("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { view, words: own } of shown) view.hidden = !words.every((word) => own.includes(word));
  for (const { view, members, link } of groups) {
    view.hidden = members.every((one) => one.view.hidden);
    link.parentElement.hidden = view.hidden;
  }
  const count = shown.filter(({ view }) => !view.hidden).length;
  at("about").hidden = words.length > 0;
  at("found").textContent =
    count === 0 ? "No operation has all of these words" : `${count} ${count === 1 ? "operation" : "operations"}`;
}

/** Opens what the address names, also where the search hides it. */
function follow() {
  const target = at(location.hash.slice(1));
  if (target === null) return;
  if (target.closest("[hidden]") !== null) {
    at("words").value = "";
    search();
  }
  if (target.matches("details.operation")) {
    target.open = true;
    // So that a keyboard goes on from here.
    target.querySelector("summary").focus({ preventScroll: true });
  }
  target.scrollIntoView();
}
