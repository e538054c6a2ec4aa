// Runs a conversation like a chat back end, for tests of skills.

import { ADMIN_KEY, call, keyFor } from "./call";
import { form, type SkillFixture, skillZip } from "./skill";

const SKILLS = "/api/v1/kinds/skills";

export interface Result {
  id: string;
  name: string;
  content: { type: string; text?: string; [key: string]: unknown }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Step {
  turn?: number;
  prompt: { system: string };
  tools: { name: string; description: string; inputSchema: Record<string, unknown> }[];
  active: { skill: string }[];
  results: Result[];
  unhandled: { name: string }[];
  warnings: { code: string; message: string; path?: string }[];
  etag: string;
}

export interface Talk {
  route: string;
  key: string;
  turn(body?: object): Promise<Step>;
  calls(...calls: object[]): Promise<Step>;
  /** Makes one call and returns its result. */
  use(name: string, args?: object, id?: string): Promise<Result>;
  load(skill: string): Promise<Result>;
  tools(): Promise<string[]>;
}

/** Publishes a public skill or a new version of it. Returns its resource. */
export async function publishPublic(skill: SkillFixture) {
  return published(await call("POST", `${SKILLS}/public`, { body: form(skillZip(skill)) }));
}

/** Publishes a skill of a user or a group. */
export async function publishOwn(key: string, skill: SkillFixture, namespace = "default") {
  return published(await call("POST", `${SKILLS}/upload`, { key, body: form(skillZip(skill), { namespace }) }));
}

export async function published(answer: Response) {
  const body = await answer.json<{
    metadata: { labels: { id: string } };
    status: { version_id: string; warnings: { code: string; message: string; path?: string; line?: number }[] };
  }>();
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return { id: body.metadata.labels.id, ...body.status };
}

let conversations = 0;

/** Creates a conversation. Default delivery is `system`, so that loaded instructions are in its prompt. */
export async function talk(user: string | { key: string }, settings: object = {}): Promise<Talk> {
  const key = typeof user === "string" ? await keyFor(user) : user.key;
  const route = `/api/v1/conversations/talk-${++conversations}`;
  const made = await call("PUT", route, { key, json: { delivery: "system", ...settings } });
  if (!made.ok) throw new Error(await made.text());
  let calls = 0;
  const post = async (path: string, json: object) => {
    const answer = await call("POST", `${route}/${path}`, { key, json });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer.json<Step>();
  };
  const run = (...some: object[]) => post("tool-calls", { calls: some });
  const use = async (name: string, args: object = {}, id = `call-${++calls}`) => {
    const { results, unhandled } = await run({ id, name, arguments: args });
    const [result] = results;
    if (result === undefined) throw new Error(`unhandled: ${JSON.stringify(unhandled)}`);
    return result;
  };
  return {
    route,
    key,
    turn: (body = {}) => post("turns", body),
    calls: run,
    use,
    load: (skill) => use("load_skill", { skill_name: skill }),
    tools: async () => {
      const { tools } = await (await call("GET", `${route}/tools`, { key })).json<{ tools: { name: string }[] }>();
      return tools.map((tool) => tool.name);
    },
  };
}

/**
 * Runs turns until one in which all servers are connected, and returns it. On a busy machine a connection can take longer than one turn
 * waits.
 */
export async function connectedTurn(chat: Talk): Promise<Step> {
  for (;;) {
    const turn = await chat.turn();
    if (!turn.warnings.some(({ code }) => code === "MCP_SERVER_CONNECTING")) return turn;
  }
}

export const textOf = (result: Result) => result.content.map((block) => block.text ?? "").join("\n");
export { ADMIN_KEY };
