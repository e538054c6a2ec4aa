// Code of skills: a provider's tool and a script, warm and cold, and a thousand skills called once each. The floors call a bare
// isolate of the Worker Loader (`/floor/loader` of bench/worker.ts), in the same object and after the same reads.

import { median, percentiles } from "../measure.mjs";
import { skillZip } from "../skills.mjs";

const USER = "code";
const MANY = 1_000;
/** A conversation of the thousand loads so many skills. */
const EACH = 10;

export async function run({ gateway, compare, passes }) {
  await publishCode(gateway, "warm");
  const tool = { name: "answer", arguments: { question: "how much" } };
  const script = {
    name: "execute_skill_script",
    arguments: { skill_name: "warm", script_path: "scripts/answer.js", input: "how much" },
  };
  const warm = (call) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/${call.name}-${Math.floor(n / 20)}`;
      if (n % 20 === 0) await begin(gateway, USER, route, "warm");
      return gateway.request(USER, "POST", `${route}/tool-calls`, { calls: [{ id: `call_${n}`, ...call }] });
    },
    check: isAnswered,
  });
  // A user whom no isolate was ever made for: what is cold is the isolate, not the code.
  const cold = (call) => ({
    async prepare(n) {
      const user = `${call.name}-cold-${n}`;
      await begin(gateway, user, "/api/v1/conversations/cold", "warm");
      return gateway.request(user, "POST", "/api/v1/conversations/cold/tool-calls", {
        calls: [{ id: "call", ...call }],
      });
    },
    check: isAnswered,
  });
  const floor = (id) => ({
    async prepare(n) {
      await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(USER) });
      return gateway.request(USER, "POST", "/floor/loader", { id: USER, isolate: id(n), text: "x".repeat(600) });
    },
  });
  const bare = floor(() => "bare");
  const fresh = (name) => floor((n) => `${name}-${n}`);
  return [
    { name: "provider tool, warm", budget: 1.5, ...(await compare({ floor: bare, path: warm(tool) })) },
    { name: "script, warm", budget: 1.5, ...(await compare({ floor: bare, path: warm(script) })) },
    { name: "provider tool, cold", budget: null, ...(await compare({ floor: fresh("tool"), path: cold(tool) })) },
    { name: "script, cold", budget: null, ...(await compare({ floor: fresh("script"), path: cold(script) })) },
    await thousand(gateway, fresh("thousand"), passes),
  ];
}

/** Every call makes an isolate that is never used again. One pass only: nothing of it can be warm, and none is given back soon. */
async function thousand(gateway, floor) {
  for (let n = 0; n < MANY; n++) await publishCode(gateway, `many-${String(n).padStart(4, "0")}`);
  const times = { floor: [], path: [] };
  for (let n = 0; n < MANY; n++) {
    times.floor.push((await gateway.send(await floor.prepare(n))).ms);
    const skill = `many-${String(n).padStart(4, "0")}`;
    const route = `/api/v1/conversations/many-${Math.floor(n / EACH)}`;
    if (n % EACH === 0) await begin(gateway, USER, route, skill);
    else await load(gateway, USER, route, skill);
    const name = n % EACH === 0 ? "answer" : `${skill}__answer`;
    const call = { id: `answer_${n}`, name, arguments: { question: "how much" } };
    const { ms, text } = await gateway.send(
      await gateway.request(USER, "POST", `${route}/tool-calls`, { calls: [call], etag: "none" }),
    );
    isAnswered(text);
    times.path.push(ms);
  }
  const [path, bare] = [percentiles(times.path), percentiles(times.floor)];
  const tenths = Array.from({ length: 10 }, (_, tenth) => {
    const part = (side) => median(times[side].slice((tenth * MANY) / 10, ((tenth + 1) * MANY) / 10));
    return part("path") / part("floor");
  });
  return {
    name: `${MANY} distinct skills, each called once`,
    budget: null,
    path,
    floor: bare,
    ratio: path.p50 / bare.p50,
    spread: [Math.min(...tenths), Math.max(...tenths)],
  };
}

async function publishCode(gateway, name) {
  const provider = `export class Answers {
    get providerName() { return "answers" }
    get supportedTools() { return ["answer"] }
    createTool(name, context, config) {
      return { description: "Answers ${name}.", inputSchema: { type: "object" }, async call({ question }) { return question + ": 42" } };
    }
  }`;
  const script = "let text = ''; for await (const part of process.stdin) text += part; console.log(text + ': 42');";
  const frontmatter = `provider: { module: provider.js, class: Answers }\ntools: [{ name: answer, provider: answers }]`;
  const zip = skillZip({
    name,
    description: `Answers ${name}.`,
    body: "Call answer.",
    frontmatter,
    files: { "provider.js": Buffer.from(provider), "scripts/answer.js": Buffer.from(script) },
  });
  const upload = await gateway.upload(null, zip);
  await gateway.send({ ...upload, route: "/api/v1/kinds/skills/public" });
}

async function begin(gateway, user, route, skill) {
  await gateway.call(user, "POST", `${route}/turns`, { conversation: {} });
  await load(gateway, user, route, skill);
}

function load(gateway, user, route, skill) {
  const call = { id: `load_${skill}`, name: "load_skill", arguments: { skill_name: skill } };
  return gateway.call(user, "POST", `${route}/tool-calls`, { calls: [call] });
}

function isAnswered(answer) {
  const [result] = JSON.parse(answer).results;
  if (result === undefined || result.isError || !JSON.stringify(result).includes("how much: 42"))
    throw new Error(`not answered: ${answer.slice(0, 500)}`);
}
