// The page: a chat on the left, what the gateway does on the right. The interesting lines are `connect` and the two `on`.

import { connect } from "/client/skill-gateway.js";
import { backend, Refusal } from "./backend.js";
import { draw, figureOf, pictureOf } from "./diagram.js";
import { endpointModel, scriptedModel } from "./models.js";

const KEY = "skill-gateway-key";
const WIRE_LINES = 200;
const STATUS = {
  connecting: "Connecting…",
  open: "Connected",
  waiting: "Connection lost, trying again…",
};

const at = (id) => document.getElementById(id);
const thread = [];

at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(at("key").value.trim());
});
at("forget").addEventListener("click", () => {
  sessionStorage.removeItem(KEY);
  location.replace(location.pathname);
});
const known = sessionStorage.getItem(KEY);
if (known === null) at("door").hidden = false;
else enter(known);

/** The conversation's id is in the address, so that a reload or a second tab is in the same one. */
function conversationId() {
  const address = new URL(location);
  const id = address.searchParams.get("c") ?? `demo-${crypto.randomUUID()}`;
  address.searchParams.set("c", id);
  history.replaceState(null, "", address);
  return id;
}

async function enter(key) {
  const server = backend({ key, conversation: conversationId(), onWire: wire, onRequest: showRequest });
  at("refusal").textContent = "";
  try {
    await server.begin();
  } catch (error) {
    at("door").hidden = false;
    at("refusal").textContent =
      error instanceof Refusal ? error.message : "The gateway does not answer. Is it running?";
    at("key").focus();
    return;
  }
  sessionStorage.setItem(KEY, key);
  at("door").hidden = true;
  at("room").hidden = false;
  at("message").focus();

  const connection = connect({ ticket: () => server.ticket(), onError: (error) => wire(`! ${error.message}`) });
  connection.on("render_mermaid", render);
  connection.on("confirm", confirm);
  connection.subscribe(show);
  show(connection.state);
  converse(server);
}

/** Answers a skill: draws, and tells the model what came of it. What is thrown is the answer too. */
async function render({ code, title }, { signal }) {
  const drawing = await draw(code);
  if (!signal.aborted) say("figure", figureOf(drawing, code, title));
  return { type: drawing.type, width: Math.ceil(drawing.width), height: Math.ceil(drawing.height) };
}

/** Answers a skill by asking the user. The question goes when nobody waits for the answer any more. */
function confirm({ question }, { signal }) {
  return new Promise((resolve) => {
    const card = document.createElement("div");
    card.className = "question";
    const text = document.createElement("p");
    text.textContent = question;
    card.append(text);
    for (const [label, confirmed] of [
      ["Allow", true],
      ["Refuse", false],
    ]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        card.remove();
        resolve({ confirmed });
      });
      card.append(button);
    }
    signal.addEventListener("abort", () => card.remove());
    at("questions").append(card);
  });
}

let shown = { pending: [] };
function show({ status, turn, active, pending, closed }) {
  if (status !== shown.status) {
    at("status").dataset.status = status;
    at("status").textContent = STATUS[status] ?? `Closed: ${closed.reason || closed.code}`;
    wire(`· ${status}`);
  }
  if (turn !== shown.turn || active !== shown.active) showSkills(turn, active);
  for (const request of pending) {
    if (!shown.pending.includes(request)) wire(`⇠ ${request.action}, attempt ${request.attempt}`);
  }
  shown = { status, turn, active, pending };
}

/** In words; a skill that the user only selected has no turn after this one. */
function turnsLeft(remaining) {
  if (remaining === null) return "stays";
  if (remaining === 0) return "this turn";
  return `${remaining} ${remaining === 1 ? "turn" : "turns"} left`;
}

function showSkills(turn, active) {
  at("turn").textContent = turn === 0 ? "" : `turn ${turn}`;
  const items = active.map(({ skill, remaining }) => {
    const item = document.createElement("li");
    const left = document.createElement("span");
    left.textContent = turnsLeft(remaining);
    item.append(skill, left);
    return item;
  });
  if (items.length === 0) {
    const none = document.createElement("li");
    none.className = "soft";
    none.textContent = "None active.";
    items.push(none);
  }
  at("skills").replaceChildren(...items);
}

/** Nothing that was sent changes, so that each request to the model begins with all of the one before. */
function showRequest({ count, characters, before, repeated }) {
  const number = (value) => value.toLocaleString("en");
  const begins = repeated === before ? `all ${number(before)}` : `${number(repeated)} of the ${number(before)}`;
  at("prompt").dataset.kept = String(repeated === before);
  at("prompt").textContent =
    count === 1
      ? `The first request has ${number(characters)} characters.`
      : `Request ${count} begins with ${begins} characters of the one before; ${number(characters - repeated)} are new.`;
}

function converse(server) {
  const composer = at("composer");
  composer.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = at("message").value.trim();
    const button = composer.querySelector("button");
    if (text === "" || button.disabled) return;
    button.disabled = true;
    at("message").value = "";
    try {
      await server.say(text, thread, model(), showMessage, showPicture);
    } catch (error) {
      say("step failed", error.message);
    } finally {
      button.disabled = false;
    }
  });
}

function model() {
  const { endpoint, name, key } = Object.fromEntries(new FormData(at("model")));
  return endpoint === "" ? scriptedModel : endpointModel({ endpoint, name, key });
}

function showMessage({ role, content, tool_calls = [] }) {
  for (const { function: made } of tool_calls) say("step", `${made.name} ${shorten(made.arguments)}`);
  if (role === "tool") say("step", `↳ ${shorten(String(content))}`);
  else if (content) say(role, content);
}

/** What a script has drawn: as a picture it can neither run nor load anything. */
async function showPicture({ path, svg }) {
  const picture = new Image();
  picture.src = pictureOf(svg);
  await picture.decode();
  const { naturalWidth: width, naturalHeight: height } = picture;
  say("figure", figureOf({ svg, width, height }, svg, path.split("/").at(-1)));
}

function say(kind, content) {
  const item = document.createElement("li");
  item.className = kind;
  item.append(content);
  at("log").append(item);
  item.scrollIntoView({ block: "nearest" });
}

function wire(line) {
  const item = document.createElement("li");
  item.textContent = line;
  at("wire").prepend(item);
  at("wire").children[WIRE_LINES]?.remove();
}

const shorten = (text) => (text.length <= 160 ? text : `${text.slice(0, 159)}…`);
