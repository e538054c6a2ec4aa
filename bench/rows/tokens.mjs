// Prompt tokens of the seeds' example (10 skills of 200 tokens, 20 in the list, 2 used per turn, 10 turns), measured in real conversations:
// counted like the seeds, and counted with everything that the gateway adds to the prompt.

import { importTypeScript } from "../../scripts/build/bundle.mjs";
import { prose, RANKS, skillZip } from "../skills.mjs";

const USER = "tokens";
const SKILLS = 10;
const BODY = 200;
const LINE = 20;
const TURNS = 10;

const same = (skills) => [skills[0].name, skills[1].name];
const others = (skills, turn) => [0, 1].map((n) => skills[(2 * turn + n) % SKILLS].name);

/** The skills that a turn uses. The first turn is turn 0. */
export const CASES = [
  { what: "the same 2 in every turn, retention 5", use: same, retention_turns: 5, budget: 79 },
  { what: "2 others in every turn, retention 0", use: others, retention_turns: 0, budget: 79 },
  { what: "2 others in every turn, retention 5", use: others, retention_turns: 5, budget: null },
];

/** Returns the ten skills and more that are never used. Their instructions consist of `texts` texts of `BODY` tokens each. */
export function exampleSkills(count, texts = 1, length = SKILLS) {
  return Array.from({ length }, (_, n) => makeSkill(n, count, texts));
}

export async function run({ gateway }) {
  const { makeCounter } = await importTypeScript("src/domain/bpe.ts");
  const count = makeCounter(RANKS);
  const skills = exampleSkills(count);
  for (const skill of skills) await gateway.send(await gateway.upload(USER, skillZip(skill)));
  const staticPrompt = count(skills.map(({ name, body }) => `## Skill: ${name}\n\n${body}`).join("\n\n"));

  const rows = [];
  for (const [n, { what, budget, use, retention_turns }] of CASES.entries()) {
    const plan = { use: (turn) => use(skills, turn), retention_turns };
    const seen = await converse(gateway, `tokens-${n}`, plan, count);
    const listed = SKILLS * LINE;
    rows.push({
      name: `prompt tokens saved, ${what}`,
      unit: "%",
      value: saved(TURNS * SKILLS * BODY, listed + seen.active),
      budget,
      atLeast: true,
      seeds: { static: TURNS * SKILLS * BODY, actual: listed + seen.active },
      honest: {
        "a turn's last prompt": withSaving(TURNS * staticPrompt, seen.lastPrompts),
        "a turn's last prompt and tools": withSaving(TURNS * staticPrompt, seen.lastPrompts + seen.lastTools),
        "every model step: prompt, tools, calls and answers": withSaving(TURNS * staticPrompt, seen.everything),
      },
      gateway: seen.status,
    });
  }
  return rows;
}

/** Runs the turns and returns the tokens that the model received. */
async function converse(gateway, id, { use, retention_turns }, count) {
  const route = `/api/v1/conversations/${id}`;
  const seen = { active: 0, lastPrompts: 0, lastTools: 0, everything: 0 };
  const conversation = { format: "openai", retention_turns };
  for (let turn = 0; turn < TURNS; turn++) {
    let step = await gateway.call(USER, "POST", `${route}/turns`, { key: `message-${turn}`, conversation });
    const active = new Set(step.active.map(({ skill }) => skill));
    const wanted = use(turn).filter((name) => !active.has(name));
    if (wanted.length > 0) {
      // A static prompt would not need the step in which the model loads the skills.
      seen.everything += promptTokens(step, count) + toolTokens(step, count);
      const calls = wanted.map((skill_name, n) => ({
        id: `call_${turn}_${n}`,
        type: "function",
        function: { name: "load_skill", arguments: JSON.stringify({ skill_name }) },
      }));
      step = await gateway.call(USER, "POST", `${route}/tool-calls`, { calls });
      if (step.loaded_skills.length !== wanted.length) throw new Error(`not loaded: ${wanted}`);
      seen.everything += count(JSON.stringify(calls)) + count(JSON.stringify(step.messages));
    }
    seen.active += step.active.reduce((sum, { tokens }) => sum + tokens, 0);
    seen.lastPrompts += promptTokens(step, count);
    seen.lastTools += toolTokens(step, count);
    seen.everything += promptTokens(step, count) + toolTokens(step, count);
  }
  seen.status = (await gateway.call(USER, "GET", route)).tokens;
  return seen;
}

function promptTokens({ prompt }, count) {
  return prompt.messages.reduce((sum, { content }) => sum + count(content), 0);
}

function toolTokens({ tools }, count) {
  return count(JSON.stringify(tools));
}

/** Returns a skill with exactly `texts` times `BODY` tokens and a list line of exactly `LINE` tokens. */
function makeSkill(n, count, texts) {
  const name = `${["chart", "table", "letter", "report", "query", "image", "music", "travel", "budget", "garden"][n % SKILLS]}-helper${n < SKILLS ? "" : `-${n}`}`;
  const words = "Makes plain and useful things of this kind for the user who asks for them in a chat today".split(" ");
  const description = textOf(words, (text) => count(`- **${name}**: ${text}`), LINE);
  const bodies = Array.from({ length: texts }, (_, k) =>
    textOf(prose(3_000, 100 + n + 1_000 * k).split(" "), (text) => count(text), BODY),
  );
  return { name, description, body: bodies.join("\n\n") };
}

/** Returns the first words that have exactly `wanted` tokens. Single letters fill the rest where a word is too long. */
function textOf(words, tokens, wanted) {
  let text = "";
  for (const word of words) {
    const longer = text === "" ? word : `${text} ${word}`;
    if (tokens(longer) <= wanted) text = longer;
    if (tokens(text) === wanted) return text.trim();
  }
  for (let n = 0; tokens(text) < wanted && n < wanted; n++) text += " a";
  if (tokens(text) !== wanted) throw new Error(`no text of ${wanted} tokens`);
  return text;
}

function saved(before, after) {
  return (1 - after / before) * 100;
}

function withSaving(before, after) {
  return { static: before, actual: after, saved_percent: Math.round(saved(before, after) * 10) / 10 };
}
