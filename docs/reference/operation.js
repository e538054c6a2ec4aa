// One operation: a line that says what it is, and below it what it takes, an example and what it answers.

import { block, element, folded, prose } from "./elements.js";
import { curlOf } from "./request.js";

const RETRY = {
  safe: "Changes nothing: it may be sent again.",
  idempotent: "May be sent again: it happens once.",
  never: "Not to be sent again when nobody knows whether it arrived.",
};

/** Every operation of a document, with its words for the search. */
export function operationsOf(document, schemas) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, said]) => {
      const parameters = (said.parameters ?? []).map((one) => schemas.resolve(one));
      const bodies = Object.entries(said.requestBody?.content ?? {});
      const names = [
        ...parameters.filter((one) => one.in !== "header").map((one) => one.name),
        ...bodies.flatMap(([, { schema = {} }]) => schemas.names(schemas.resolve(schema))),
      ];
      const { operationId: id, summary, description, tags } = said;
      const words = [id, method, path, summary, description, ...names].join("\n").toLowerCase();
      const hasKey = (said.security ?? document.security ?? []).length > 0;
      return { id, tag: tags[0], method: method.toUpperCase(), path, said, parameters, bodies, hasKey, words };
    }),
  );
}

/** The element of an operation; its id is the operation's, so that an address can name it. */
export function operationView(operation, schemas) {
  const { id, method, path, said } = operation;
  const line = element(
    "h3",
    {},
    element("span", { class: "method" }, method),
    " ",
    element("code", { class: "path" }, path),
    " ",
    element("span", { class: "summary" }, ...prose(said.summary)),
  );
  return folded({ id, class: "operation" }, [line], () => body(operation, schemas));
}

function body(operation, schemas) {
  const { id, said, parameters, bodies, hasKey } = operation;
  return [
    element("p", {}, element("a", { href: `#${id}` }, id), hasKey ? null : " · needs no key"),
    element("p", {}, ...prose(said.description)),
    element("p", { class: "soft" }, RETRY[said["x-retry"]] ?? ""),
    ...section("Parameters", parameters.length === 0 ? [] : [parameterList(parameters, schemas)]),
    ...section(
      "Body",
      bodies.flatMap(([type, content]) => contentView(type, content, schemas, true)),
    ),
    ...section("Example", [exampleOf(operation)]),
    ...section("Answers", answersOf(said.responses, schemas)),
  ];
}

function section(title, children) {
  return children.length === 0 ? [] : [element("h4", {}, title), ...children];
}

function parameterList(parameters, schemas) {
  const items = parameters.map((one) => {
    const item = schemas.field(
      one.name,
      one.schema ?? {},
      one.required === true,
      one.description ?? one.schema?.description,
    );
    item.children[0].after(` in ${one.in}`);
    if (one.example !== undefined)
      item.append(element("p", { class: "soft" }, "For example ", element("code", {}, `${one.example}`)));
    return item;
  });
  return element("ul", { class: "fields" }, ...items);
}

function exampleOf({ id, method, path, parameters, bodies, hasKey }) {
  const [type, content] = bodies[0] ?? [];
  const body = type === undefined ? undefined : { type, ...content };
  return block(curlOf({ origin: location.origin, method, path, hasKey, parameters, body }), `Example of ${id}`);
}

/** Those that answer with the same thing stand together: most refusals do. */
function answersOf(responses, schemas) {
  const groups = Map.groupBy(Object.entries(responses), ([, { content = {} }]) => JSON.stringify(content));
  return [...groups.values()].flatMap((group) => {
    const items = group.map(([status, { description }]) =>
      element("li", {}, element("code", { class: "name" }, status), " ", ...prose(description)),
    );
    const contents = Object.entries(group[0][1].content ?? {});
    return [
      element("ul", { class: "fields" }, ...items),
      ...contents.flatMap(([type, content]) => contentView(type, content, schemas)),
    ];
  });
}

/** A content type with its schema to unfold, and that of its events where it is a stream. */
function contentView(type, content, schemas, isOpen = false) {
  const schema = content["x-event-schema"] ?? content.schema ?? {};
  const title = [element("span", {}, type), " ", element("span", { class: "type" }, schemas.type(schema))];
  const about = schemas.resolve(schema).description;
  if (!schemas.hasFields(schema)) return [element("p", { class: "content" }, ...title)];
  return [
    folded({ class: "content", ...(isOpen ? { open: "" } : {}) }, title, () => [
      ...(about === undefined ? [] : [element("p", {}, ...prose(about))]),
      ...schemas.fields(schema),
    ]),
  ];
}
