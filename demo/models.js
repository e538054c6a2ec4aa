// What stands in for a language model, and the real ones.

/** A model behind any OpenAI-compatible endpoint. */
export function endpointModel({ endpoint, name, key }) {
  return async (messages, tools) => {
    const response = await fetch(`${endpoint.replace(/\/+$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === "" ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: name, messages, ...(tools.length > 0 ? { tools } : {}) }),
    });
    if (!response.ok) throw new Error(`The model endpoint answered ${response.status}: ${await response.text()}`);
    return (await response.json()).choices[0].message;
  };
}

/** A model that follows a script: loads the skill, reads its reference, draws, corrects itself, and says so. */
export async function scriptedModel(messages, tools) {
  const question = messages.findLastIndex(({ role }) => role === "user");
  const wish = messages[question].content.toLowerCase();
  const since = messages.slice(question + 1);
  const offered = new Set(tools.map((tool) => tool.function.name));
  const isReport = /\bcsv\b|orders|report/.test(wish);
  const drawing = DRAWINGS.find(({ words }) => words.test(wish));
  if (!isReport && drawing === undefined) return say(SMALL_TALK);

  // Its instructions stand in the answer to load_skill, and stay there.
  const skill = isReport ? "csv-report" : "mermaid-diagram";
  if (!messages.some(({ content }) => content?.includes(`## Skill: ${skill}`))) {
    if (!offered.has("load_skill")) return say("I have no skill for that here.");
    if (asked(since, "load_skill")) return say(`I cannot load the skill \`${skill}\` here.`);
    return call("load_skill", { skill_name: skill });
  }
  if (isReport) return report(messages, since);
  if (!asked(since, "read_skill")) {
    return call("read_skill", { skill_name: "mermaid-diagram", file_path: drawing.reference });
  }
  const drawn = outcomes(since, "call_skill_tool");
  const { title, code } = drawing;
  const draw = (given) => call("call_skill_tool", { name: "render_mermaid", arguments: { title, code: given } });
  if (drawn.length === 0) return draw(/broken|mistake/.test(wish) ? `${code}\n    oops ->` : code);
  const [last] = drawn.slice(-1);
  if (last.error === undefined) {
    return say(`${title}: a ${last.type} diagram of ${last.width} × ${last.height} pixels, drawn by your browser.`);
  }
  if (drawn.length > 1) return say(`Your browser could not draw it: ${last.error}`);
  return draw(code);
}

/** The script adds up; the model says where the numbers are. */
function report(messages, since) {
  const [made] = callsOf(since, "execute_skill_script");
  if (made === undefined)
    return call("execute_skill_script", {
      skill_name: "csv-report",
      script_path: "scripts/report.py",
      args: ["--by", "region", "--value", "amount", "--title", "Orders"],
      input: ORDERS,
    });
  const { content } = messages.find((message) => message.tool_call_id === made.id);
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
    words: /draw|diagram|chart|flow/,
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
  "I am a script of few words. Ask me to draw a login, a flow or shares; add “with a mistake” to see me correct myself; " +
  "or ask for a report of the orders, which a script in Python makes. " +
  "Or just keep talking: watch the skill run out of turns, and the prompt begin as before.";

const say = (content) => ({ role: "assistant", content });

function call(name, args) {
  const id = `call_${crypto.randomUUID().replaceAll("-", "")}`;
  const tool = { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  return { role: "assistant", content: null, tool_calls: [tool] };
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
