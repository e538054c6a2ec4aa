// What stands in for a language model, and the real ones.

/** A model behind any OpenAI-compatible endpoint. What does not stream is taken whole. */
export function endpointModel({ endpoint, name, key }) {
  return async (messages, tools, onText) => {
    const response = await fetch(`${endpoint.replace(/\/+$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === "" ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: name, messages, stream: true, ...(tools.length > 0 ? { tools } : {}) }),
    });
    if (!response.ok) throw new Error(`The model endpoint answered ${response.status}: ${await response.text()}`);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
      return (await response.json()).choices[0].message;
    return joined(response.body, onText);
  };
}

/** The message that the events of a stream tell piece by piece. */
async function joined(body, onText) {
  const message = { role: "assistant", content: null };
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data:") || line.slice(5).trim() === "[DONE]") continue;
      const event = JSON.parse(line.slice(5));
      if (event.error) throw new Error(`The model endpoint broke off: ${event.error.message ?? event.error}`);
      const { content, tool_calls = [] } = event.choices?.[0]?.delta ?? {};
      if (content) {
        message.content = (message.content ?? "") + content;
        onText(content);
      }
      for (const piece of tool_calls) addPiece(message, piece);
    }
  }
  return message;
}

function addPiece(message, { index, id, function: made = {} }) {
  message.tool_calls ??= [];
  message.tool_calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } };
  const call = message.tool_calls[index].function;
  call.name += made.name ?? "";
  call.arguments += made.arguments ?? "";
}

/** Milliseconds between two words of the script: as fast as one reads. */
const PACE = 15;

/** A model that follows a script, and speaks word by word as others do. */
export async function scriptedModel(messages, tools, onText) {
  const answer = scripted(messages, tools);
  for (const word of answer.content?.match(/\S+\s*|^\s+/g) ?? []) {
    onText(word);
    await new Promise((resolve) => setTimeout(resolve, PACE));
  }
  return answer;
}

/** Loads the skills that a wish wants, all at once, follows each of them, and says what came of it. */
function scripted(messages, tools) {
  const question = messages.findLastIndex(({ role }) => role === "user");
  const wish = messages[question].content.toLowerCase();
  const since = messages.slice(question + 1);
  const offered = new Set(tools.map((tool) => tool.function.name));
  const drawing = DRAWINGS.find(({ words }) => words.test(wish));
  const tasks = [
    ...SCRIPTS.filter(({ words }) => words.test(wish)).map((task) => ({ ...task, next: () => runScript(since, task) })),
    ...(drawing === undefined ? [] : [{ skill: "mermaid-diagram", next: () => drawNext(since, wish, drawing) }]),
  ];
  if (tasks.length === 0) return say(SMALL_TALK);

  // Its instructions stand in the answer to load_skill, and stay there.
  const isKnown = ({ skill }) => messages.some(({ content }) => content?.includes(`## Skill: ${skill}`));
  const unknown = tasks.filter((task) => !isKnown(task));
  if (unknown.length > 0) {
    if (!offered.has("load_skill")) return say("I have no skill for that here.");
    if (asked(since, "load_skill")) return say(`I cannot load the skill \`${unknown[0].skill}\` here.`);
    return calls(unknown.map(({ skill }) => ["load_skill", { skill_name: skill }]));
  }
  const steps = tasks.map((task) => task.next());
  const tool_calls = steps.flatMap((step) => step.tool_calls ?? []);
  if (tool_calls.length > 0) return { role: "assistant", content: null, tool_calls };
  return say(steps.map(({ content }) => content).join("\n\n"));
}

/** Reads the reference, draws, and corrects itself once. */
function drawNext(since, wish, { title, code, reference }) {
  if (!asked(since, "read_skill")) return call("read_skill", { skill_name: "mermaid-diagram", file_path: reference });
  const drawn = outcomes(since, "call_skill_tool");
  const draw = (given) => call("call_skill_tool", { name: "render_mermaid", arguments: { title, code: given } });
  if (drawn.length === 0) return draw(/broken|mistake/.test(wish) ? `${code}\n    oops ->` : code);
  const [last] = drawn.slice(-1);
  if (last.error === undefined) {
    return say(`${title}: a ${last.type} diagram of ${last.width} × ${last.height} pixels, drawn by your browser.`);
  }
  if (drawn.length > 1) return say(`Your browser could not draw it: ${last.error}`);
  return draw(code);
}

/** The script reckons; the model says where the result is. */
function runScript(since, { skill, script_path, args, input }) {
  const made = callsOf(since, "execute_skill_script").find((one) => one.function.arguments.includes(`"${skill}"`));
  if (made === undefined) return call("execute_skill_script", { skill_name: skill, script_path, args, input });
  const { content } = since.find((message) => message.tool_call_id === made.id);
  const [, printed = content] = /## Standard Output\n\n```\n([\s\S]*?)\n```/.exec(content) ?? [];
  return say(printed);
}

const ORDERS = `date,region,amount
2026-01-08,North,49.90
2026-01-17,South,120.00
2026-02-03,West,99.80
2026-02-11,South,698.00
2026-03-02,North,349.00
2026-03-19,East,240.00
`;

const BOATS = [
  { name: "Heron", harbour: "North", metres: 12.5, crew: { captain: "Ada", hands: 3 } },
  { name: "Tern", harbour: "South", metres: 9, crew: { captain: "Ben", hands: 2 } },
  { name: "Gull", harbour: "North", metres: 7.25 },
];

/** What a script of a skill does. */
const SCRIPTS = [
  {
    words: /\bcsv\b|orders|report/,
    skill: "csv-report",
    script_path: "scripts/report.py",
    args: ["--by", "region", "--value", "amount", "--title", "Orders"],
    input: ORDERS,
  },
  {
    words: /\bjson\b|\btable\b|boats/,
    skill: "json-table",
    script_path: "scripts/table.js",
    args: [],
    input: JSON.stringify(BOATS),
  },
];

const DRAWINGS = [
  {
    words: /login|sign.?in|sequence/,
    reference: "references/sequence.md",
    title: "How a login works",
    code: `sequenceDiagram
    participant user as User
    participant app as App
    participant id as Identity provider
    user->>app: Open page
    app->>id: Ask who it is
    id->>user: Ask for password
    user->>id: Password
    id-->>app: Token
    app-->>user: Welcome`,
  },
  {
    words: /share|pie|percent/,
    reference: "references/pie.md",
    title: "What a prompt is made of",
    code: `pie showData
    "History" : 62
    "Skill instructions" : 21
    "Tools" : 17`,
  },
  {
    words: /draw|diagram|flow/,
    reference: "references/flowchart.md",
    title: "How a skill is used",
    code: `flowchart TD
    ask["User asks"] --> known{"Skill active?"}
    known -->|no| load["Load skill"]
    known -->|yes| work["Follow its steps"]
    load --> work
    work --> page["Ask the page"]
    page --> answer["Answer"]`,
  },
];

const SMALL_TALK =
  "I am a script of few words. Ask me to draw a login, a flow or shares; add “with a mistake” to see me correct myself. " +
  "Ask for a report of the orders, which a script in Python makes, or for a table of the boats; or for two of these at once. " +
  "Or just keep talking: watch the skill run out of turns, and the prompt begin as before.";

const say = (content) => ({ role: "assistant", content });

const call = (name, args) => calls([[name, args]]);

function calls(made) {
  const tool_calls = made.map(([name, args]) => ({
    id: `call_${crypto.randomUUID().replaceAll("-", "")}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: null, tool_calls };
}

const callsOf = (messages, name) =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls).filter((made) => made.function.name === name);

const asked = (messages, name) => callsOf(messages, name).length > 0;

/** What the tool answered, call by call. */
function outcomes(messages, name) {
  return callsOf(messages, name).flatMap(({ id }) =>
    messages.filter((message) => message.tool_call_id === id).map(({ content }) => JSON.parse(content)),
  );
}
