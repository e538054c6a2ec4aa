// What MCP servers ask the user in the middle of a call: a form, or a link to open. Everything a server writes is shown as text, beside
// who asks as the gateway knows it.

const at = (id) => document.getElementById(id);

/** Asks with a form. A server hears what the user did, as MCP calls it; a skill gets the values. */
export async function askForm(asked, request) {
  if (request.from?.kind === "server") return fillIn(asked, request);
  const { action, content } = await fillIn({ message: asked.title ?? "", schema: schemaOf(asked.fields) }, request);
  if (action !== "accept") throw new Error("The user did not fill in the form.");
  return { values: content };
}

function schemaOf(fields) {
  const one = ({ label, type, options }) => ({
    title: label,
    type: type === "number" || type === "boolean" ? type : "string",
    ...(type === "choice" ? { enum: options } : {}),
  });
  return {
    properties: Object.fromEntries(fields.map((field) => [field.name, one(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function fillIn({ message, schema }, request) {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(([name, field]) => fieldOf(name, field, required.has(name)));
  return ask(request, message, { fields, accept: "Send" }, () => {
    const content = {};
    for (const { name, read } of fields) {
      const value = read();
      if (value !== undefined) content[name] = value;
    }
    return { action: "accept", content };
  });
}

/** Asks to open a link, which opens with the user's click and not before. */
export function askToOpen({ message, url, host }, request) {
  const where = element("p", `It opens ${host}`);
  where.className = "host";
  const whole = element("code", url);
  return ask(request, message, { parts: [where, whole], accept: `Open ${host}` }, () => {
    window.open(url, "_blank", "noopener,noreferrer");
    return { action: "accept" };
  });
}

function ask({ from, signal, skill_name }, message, { fields = [], parts = [], accept }, accepted) {
  return new Promise((resolve) => {
    const card = element("form");
    card.className = "question";
    card.append(element("strong", whoAsks(from, skill_name)), element("p", message), ...parts);
    for (const { row } of fields) card.append(row);
    const end = (answer) => {
      card.remove();
      resolve(answer);
    };
    const button = (label, type, onClick) => {
      const made = element("button", label);
      made.type = type;
      if (onClick) made.addEventListener("click", onClick);
      card.append(made);
    };
    button(accept, "submit");
    button("Decline", "button", () => end({ action: "decline" }));
    button("Cancel", "button", () => end({ action: "cancel" }));
    card.addEventListener("submit", (event) => {
      event.preventDefault();
      end(accepted());
    });
    signal.addEventListener("abort", () => card.remove());
    at("questions").append(card);
  });
}

/** Only the gateway writes `from`: a skill that asks in a server's name shows as a skill. */
function whoAsks(from, skill) {
  if (from?.kind === "server") return `MCP server “${from.name}” at ${from.host} asks:`;
  return skill ? `Skill “${skill}” asks:` : "The chat asks:";
}

let fieldsMade = 0;

/** A row with its label, and how to read what was put in; `undefined`: nothing. */
function fieldOf(name, field, isRequired) {
  const id = `server-field-${++fieldsMade}`;
  const label = element("label", `${field.title ?? name}${isRequired ? "" : " (optional)"}`);
  label.htmlFor = id;
  const { input, read } = inputOf(field, isRequired);
  input.id = id;
  const row = element("div");
  row.append(label, input);
  if (field.description) {
    const hint = element("small", field.description);
    hint.id = `${id}-hint`;
    input.setAttribute("aria-describedby", hint.id);
    row.append(hint);
  }
  return { name, row, read };
}

const TYPES = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" };

function inputOf(field, isRequired) {
  if (field.type === "boolean") {
    const input = element("input");
    input.type = "checkbox";
    input.checked = field.default === true;
    return { input, read: () => input.checked };
  }
  const choices = choicesOf(field.type === "array" ? field.items : field);
  if (choices !== null) return choose(field, choices, isRequired);
  const input = element("input");
  input.required = isRequired;
  input.autocomplete = "off";
  input.value = field.default ?? "";
  const text = () => (input.value === "" ? undefined : input.value);
  if (field.type === "string") {
    input.type = TYPES[field.format] ?? "text";
    if (field.minLength !== undefined) input.minLength = field.minLength;
    if (field.maxLength !== undefined) input.maxLength = field.maxLength;
    const isInstant = field.format === "date-time";
    return { input, read: () => (isInstant && text() ? new Date(input.value).toISOString() : text()) };
  }
  input.type = "number";
  input.step = field.type === "integer" ? "1" : "any";
  if (field.minimum !== undefined) input.min = field.minimum;
  if (field.maximum !== undefined) input.max = field.maximum;
  return { input, read: () => (text() === undefined ? undefined : Number(input.value)) };
}

function choose(field, choices, isRequired) {
  const input = element("select");
  input.multiple = field.type === "array";
  input.required = isRequired && !(input.multiple && !field.minItems);
  if (!input.multiple) input.append(element("option"));
  for (const { value, title } of choices) {
    const option = element("option", title);
    option.value = value;
    option.selected = [field.default].flat().includes(value);
    input.append(option);
  }
  const chosen = () => [...input.selectedOptions].map(({ value }) => value);
  return { input, read: input.multiple ? chosen : () => chosen().find((value) => value !== "") };
}

function choicesOf({ enum: values, oneOf, anyOf }) {
  if (values) return values.map((value) => ({ value, title: value }));
  return (oneOf ?? anyOf)?.map(({ const: value, title }) => ({ value, title })) ?? null;
}

function element(kind, text) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  return made;
}
