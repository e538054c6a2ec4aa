// Runs a real conversation once and records every request to its model, as a list of texts in the order in which a provider reads them:
// tools, system, messages. The messages of users and of the model are placeholders that are filled in for pricing.

/**
 * A part of a request. The gateway's texts are numbered, so that equal texts have equal numbers.
 * @typedef {{ text: number } | { talk: string }} Part
 * @typedef {{ turn: number, parts: Part[] }} Request
 * @typedef {{ requests: Request[], texts: string[], static: number, billed: object }} Shape `static`: tokens of all instructions of the
 * catalog; `billed`: the bill as the gateway reports it
 */

/**
 * Runs a conversation whose model loads the wanted skills that are not in its context.
 * @param {{ user: string, id: string, format: "mcp" | "openai" | "openai-responses" | "anthropic", settings: object, turns: number, wanted:
 * (turn: number) => string[], model?: string, cold?: boolean, message?: (turn: number) => string }} plan `cold`: the caller reports at each
 * turn that nothing is cached; `message`: of the user, for predictions
 * @returns {Promise<Shape & { predicted: { turn: number, name: string }[] }>} `predicted`: the appended skills
 */
export async function drive(gateway, { user, id, format, settings, turns, wanted, model, cold = false, message }) {
  const route = `/api/v1/conversations/${id}`;
  const texts = [];
  const numbers = new Map();
  const part = (text) => {
    if (!numbers.has(text)) numbers.set(text, texts.push(text) - 1);
    return { text: numbers.get(text) };
  };
  const requests = [];
  const predicted = [];
  /** The history that the caller stores: parts, some of them with the id that an edit refers to. */
  const history = [];
  /** Skills whose instructions are in an answer. */
  const held = new Map();
  let offer;
  let inPrompt = [];
  const take = (answer) => {
    if (answer.prompt !== undefined) offer = { prompt: answer.prompt, tools: answer.tools };
    inPrompt = answer.active.map(({ skill }) => skill);
  };
  const send = (turn) => {
    const front = [JSON.stringify(offer.tools), ...systemOf(offer.prompt, format)];
    requests.push({ turn, parts: [...front.map(part), ...history.map((entry) => entry.part)] });
  };
  const isAuto = (settings.delivery ?? "auto") === "auto";
  const sees = (name) =>
    isAuto ? held.has(name) || JSON.stringify(offer.prompt).includes(`## Skill: ${name}`) : inPrompt.includes(name);

  for (let turn = 1; turn <= turns; turn++) {
    const more = {
      ...(message === undefined ? {} : { message: message(turn) }),
      ...(model === undefined ? {} : { model }),
      ...(cold && turn > 1 ? { cache: "cold" } : {}),
    };
    const begun = await gateway.call(user, "POST", `${route}/turns`, {
      key: `m${turn}`,
      format,
      conversation: settings,
      ...more,
    });
    take(begun);
    for (const edit of begun.context_edits ?? []) {
      const edited = history.find(({ id: own }) => own === (edit.call_id ?? edit.append_id));
      if (edited === undefined) throw new Error(`an edit of ${JSON.stringify(edit)}, which is not in the history`);
      edited.part = part(edit.content);
      for (const [name, call] of held) if (call === (edit.call_id ?? edit.append_id)) held.delete(name);
    }
    history.push({ part: { talk: `user ${turn}` } });
    if (begun.append !== undefined) {
      const text = textOf(begun.append.map(({ content }) => ({ text: content })));
      history.push({ id: begun.append_id, part: part(text) });
      for (const [, name] of text.matchAll(/^## Skill: (\S+)$/gmu)) held.set(name, begun.append_id);
      for (const { skill, reason, loaded_in_turn } of begun.active)
        if (reason === "predicted" && loaded_in_turn === turn) predicted.push({ turn, name: skill });
    }
    send(turn);
    const missing = wanted(turn).filter((name) => !sees(name));
    if (missing.length > 0) {
      const calls = missing.map((skill_name, n) => callOf(`call_${turn}_${n}`, { skill_name }, format));
      const answer = await gateway.call(user, "POST", `${route}/tool-calls`, { calls, format });
      take(answer);
      const failed = answer.results.filter(({ isError }) => isError);
      if (failed.length > 0) throw new Error(JSON.stringify(failed).slice(0, 500));
      history.push({ part: part(textOf(calls)) });
      for (const result of answer.results) {
        const text = textOf(result.content);
        history.push({ id: result.id, part: part(text) });
        for (const [, name] of text.matchAll(/^## Skill: (\S+)$/gmu)) held.set(name, result.id);
      }
      send(turn);
    }
    history.push({ part: { talk: `model ${turn}` } });
  }
  const { tokens } = await gateway.call(user, "GET", route);
  return { requests, texts, static: tokens.static / turns, billed: tokens.billed, predicted };
}

function systemOf({ system, messages }, format) {
  const texts = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  return format.startsWith("openai") ? texts : [system, ...texts];
}

function callOf(id, args, format) {
  if (format === "anthropic") return { type: "tool_use", id, name: "load_skill", input: args };
  if (format === "mcp") return { id, name: "load_skill", arguments: args };
  if (format === "openai-responses")
    return { type: "function_call", call_id: id, name: "load_skill", arguments: JSON.stringify(args) };
  return { id, type: "function", function: { name: "load_skill", arguments: JSON.stringify(args) } };
}

/** Returns the part of a message that costs tokens. */
function textOf(parts) {
  return parts.map((part) => (typeof part.text === "string" ? part.text : JSON.stringify(part))).join("\n");
}
