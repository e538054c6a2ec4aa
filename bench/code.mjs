// Skills with code to measure: publishing, loading and checking them, and the floor below their calls.

import { skillZip } from "./skills.mjs";

/**
 * Calls a bare isolate after the reads and the write of a call. `id(n)`: a new id creates a new isolate; `counts`: also includes the exact
 * count in D1 that a script requires.
 */
export function isolateFloor(gateway, user, id, counts = false) {
  return {
    async prepare(n) {
      await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(user) });
      return gateway.request(user, "POST", "/floor/loader", {
        id: user,
        isolate: id(n),
        counts,
        text: "x".repeat(600),
      });
    },
  };
}

/** Publishes a public skill with a tool and a script. Only public skills run code. */
export async function publishCode(gateway, name) {
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

/** The same answer in each language that scripts can use. */
export const LANGUAGES = [
  {
    language: "node",
    file: "answer.js",
    source: "let text = ''; for await (const part of process.stdin) text += part; console.log(text + ': 42');",
  },
  { language: "python", file: "answer.py", source: "import sys\nprint(sys.stdin.read() + ': 42')" },
  { language: "shell", file: "answer.sh", source: 'echo "$(cat): 42"' },
];

/** Publishes a public skill with a script in each language. */
export async function publishScripts(gateway, name) {
  const files = LANGUAGES.map(({ file, source }) => [`scripts/${file}`, Buffer.from(source)]);
  const zip = skillZip({ name, description: `Runs ${name}.`, body: "Run a script.", files: Object.fromEntries(files) });
  const upload = await gateway.upload(null, zip);
  await gateway.send({ ...upload, route: "/api/v1/kinds/skills/public" });
}

/**
 * Runs a skill's script in this language, in a conversation that has loaded the skill. Returns the duration of the step in milliseconds.
 */
export async function runScript(gateway, user, route, skill, language, id) {
  const { file } = LANGUAGES.find((one) => one.language === language);
  const asked = { skill_name: skill, script_path: `scripts/${file}`, input: "how much" };
  const calls = [{ id, name: "execute_skill_script", arguments: asked }];
  const { ms, text } = await gateway.send(await gateway.request(user, "POST", `${route}/tool-calls`, { calls }));
  isAnswered(text);
  return ms;
}

/** Begins a conversation that has loaded the skill. */
export async function begin(gateway, user, route, skill) {
  await gateway.call(user, "POST", `${route}/turns`, { conversation: {} });
  await load(gateway, user, route, skill);
}

export function load(gateway, user, route, skill) {
  const call = { id: `load_${skill}`, name: "load_skill", arguments: { skill_name: skill } };
  return gateway.call(user, "POST", `${route}/tool-calls`, { calls: [call] });
}

/** Throws unless the one call of a step was answered by the skill's code. */
export function isAnswered(answer) {
  const [result] = JSON.parse(answer).results;
  if (result === undefined || result.isError || !JSON.stringify(result).includes("how much: 42"))
    throw new Error(`not answered: ${answer.slice(0, 500)}`);
}
