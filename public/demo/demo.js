// The page: a chat on the left, what the gateway does on the right. The interesting lines are `connect` and the two `on`.

import { connect } from "/client/skill-gateway.js";
import { backend, Refusal } from "./backend.js";
import { draw, figureOf, pictureOf } from "./diagram.js";
import { forgetAll, recall, remember } from "./kept.js";
import { dropKey, keepKey, LINK_ENDED, takeKey } from "./key.js";
import { endpointModel, scriptedModel } from "./models.js";
import { showRequest, showSaved } from "./prompt.js";
import { askForm, askToOpen } from "./server-questions.js";

const WIRE_LINES = 200;
const STATUS = {
  connecting: "Connecting…",
  open: "Connected",
  waiting: "Connection lost, trying again…",
};
const SUGGESTIONS = [
  "Draw how a login works",
  "Report the orders, and draw the shares",
  "Show the boats as a table",
  "Draw a flow, with a mistake",
  "Hello",
];

const at = (id) => document.getElementById(id);
const taken = takeKey();

at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(at("key").value.trim());
});
at("forget").addEventListener("click", () => {
  dropKey();
  forgetAll();
  location.replace(location.pathname);
});
// A link that is opened where the page is already changes the address, and loads nothing.
addEventListener("hashchange", () => {
  const { key } = takeKey();
  if (key === null) return;
  keepKey(key);
  location.reload();
});
if (taken.key === null) showDoor(taken.problem);
else enter(taken.key);

/** The conversation's id is in the address, so that a reload or a second tab is in the same one. */
function conversationId() {
  const address = new URL(location);
  const id = address.searchParams.get("c") ?? `demo-${crypto.randomUUID()}`;
  address.searchParams.set("c", id);
  history.replaceState(null, "", address);
  return id;
}

function showDoor(problem) {
  at("room").hidden = true;
  at("door").hidden = false;
  at("refusal").textContent = problem;
  at("key").focus();
}

async function enter(key) {
  const conversation = conversationId();
  const kept = recall(conversation);
  /** What the chat shows, to be shown again. */
  const shown = kept?.shown ?? [];
  /** The requests of a turn that the panel shows: the first one and the last. */
  const requests = kept?.requests ?? [];
  const chat = backend({
    ...{ key, conversation, kept: kept?.chat, model, onWire: wire, onRequest: request },
    ...{ onText: speak, onMessage: (message) => tell(message), onPicture: showPicture, onChange: keep },
  });
  at("refusal").textContent = "";
  try {
    await chat.begin();
  } catch (error) {
    if (error.status === 401) dropKey(key);
    return showDoor(error instanceof Refusal ? inWords(error) : "The gateway does not answer. Is it running?");
  }
  keepKey(key);
  at("door").hidden = true;
  at("room").hidden = false;
  for (const one of shown) draft(one);
  for (const one of requests) showRequest(one, [...kept.chat.front.messages, ...kept.chat.thread]);
  if (shown.length > 0) at("message").value = "";
  // Else the script would go on with what another model has begun.
  for (const [name, value] of Object.entries(kept?.model ?? {})) at("model").elements[name].value = value;
  at("model").addEventListener("change", keep);
  at("message").focus();

  const connection = connect({ ticket: () => chat.ticket(), onError: (error) => wire(`! ${error.message}`) });
  connection.on("render_mermaid", render);
  connection.on("confirm", confirm);
  connection.on("form", askForm);
  connection.on("open_url", askToOpen);
  connection.subscribe(show);
  show(connection.state);
  const work = converse(chat, say);
  // What a reload has cut goes on by itself.
  if (kept !== null) work(() => chat.proceed());

  function keep() {
    if (!remember(conversation, { shown, requests, model: chosen(), chat: chat.keep() }))
      wire("! no room: a reload will not bring this back");
  }

  function request(seen, messages) {
    requests.splice(seen.isFirst ? 0 : 1, 2, seen);
    showRequest(seen, messages);
  }

  function say(kind, text) {
    shown.push({ kind, text });
    draft({ kind, text });
    keep();
  }

  function tell({ role, content, tool_calls = [] }) {
    for (const { function: made } of tool_calls) say("step", `${made.name} ${shorten(made.arguments)}`);
    if (role === "tool") say("step", `↳ ${shorten(String(content))}`);
    else if (content) {
      hush();
      say(role, content);
    }
  }

  function sayFigure(drawing, code, title) {
    shown.push({ kind: "figure", drawing, code, title });
    draft(shown.at(-1));
    keep();
  }

  /** Answers a skill: draws, and tells the model what came of it. What is thrown is the answer too. */
  async function render({ code, title }, { signal }) {
    const drawing = await draw(code);
    if (!signal.aborted) sayFigure(drawing, code, title);
    return { type: drawing.type, width: Math.ceil(drawing.width), height: Math.ceil(drawing.height) };
  }

  /** What a script has drawn: as a picture it can neither run nor load anything. */
  async function showPicture({ path, svg }) {
    const picture = new Image();
    picture.src = pictureOf(svg);
    await picture.decode();
    const { naturalWidth: width, naturalHeight: height } = picture;
    sayFigure({ svg, width, height }, svg, path.split("/").at(-1));
  }
}

/** A refusal, and what to do where the key is the reason. */
const inWords = (refusal) => (refusal.status === 401 ? `${refusal.message} ${LINK_ENDED}` : refusal.message);

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

let seen = { pending: [] };
function show({ status, turn, active, pending, closed }) {
  if (status !== seen.status) {
    at("status").dataset.status = status;
    at("status").textContent = STATUS[status] ?? `Closed: ${closed.reason || closed.code}`;
    wire(`· ${status}`);
  }
  if (turn !== seen.turn || active !== seen.active) showSkills(turn, active);
  for (const request of pending) {
    if (!seen.pending.includes(request)) wire(`⇠ ${request.action}, attempt ${request.attempt}`);
  }
  seen = { status, turn, active, pending };
}

/** In words; a skill that the user only selected has no turn after this one. */
function turnsLeft(remaining) {
  if (remaining === null) return "stays";
  if (remaining === 0) return "this turn";
  return `${remaining} ${remaining === 1 ? "turn" : "turns"} left`;
}

function showSkills(turn, active) {
  at("turn").textContent = turn === 0 ? "" : `turn ${turn}`;
  const items = active.map(({ skill, remaining, tokens }) => {
    const item = document.createElement("li");
    item.title = `${tokens} tokens of instructions`;
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

/** The composer and the suggestions. Returns what works while neither can be used. */
function converse(chat, say) {
  const composer = at("composer");
  const button = composer.querySelector("button");
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = at("message").value.trim();
    if (text === "" || button.disabled) return;
    at("message").value = "";
    say("user", text);
    work(() => chat.say(text));
  });
  for (const text of SUGGESTIONS) {
    const suggestion = document.createElement("button");
    suggestion.type = "button";
    suggestion.textContent = text;
    suggestion.addEventListener("click", () => {
      at("message").value = text;
      composer.requestSubmit();
    });
    at("suggestions").append(suggestion);
  }
  return work;

  async function work(what) {
    button.disabled = true;
    try {
      await what();
      showSaved((await chat.status()).tokens);
    } catch (error) {
      hush();
      say("step failed", error instanceof Refusal ? inWords(error) : error.message);
    } finally {
      button.disabled = false;
    }
  }
}

const chosen = () => Object.fromEntries(new FormData(at("model")));

function model() {
  const { endpoint, name, key } = chosen();
  return endpoint === "" ? scriptedModel : endpointModel({ endpoint, name, key });
}

/** The words of an answer as they come. They are read out when it is whole. */
function speak(piece) {
  const spoken = at("spoken") ?? draft({ kind: "speaking", text: "" });
  spoken.id = "spoken";
  spoken.setAttribute("aria-hidden", "true");
  spoken.append(piece);
  spoken.scrollIntoView({ block: "nearest" });
}

function hush() {
  at("spoken")?.remove();
}

function draft({ kind, text, drawing, code, title }) {
  const item = document.createElement("li");
  item.className = kind;
  item.append(kind === "figure" ? figureOf(drawing, code, title) : text);
  at("log").append(item);
  item.scrollIntoView({ block: "nearest" });
  return item;
}

function wire(line) {
  const item = document.createElement("li");
  item.textContent = line;
  at("wire").prepend(item);
  at("wire").children[WIRE_LINES]?.remove();
}

const shorten = (text) => (text.length <= 160 ? text : `${text.slice(0, 159)}…`);
