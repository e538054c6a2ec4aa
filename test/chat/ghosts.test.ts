// Ghosts as models: the ghost's name in `model` is enough, the ghost runs on the model that it names, and lists contain it for users who
// can call that model.

import { expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const ELSEWHERE = { api: ["openai-chat"], base_url: "https://api.example.com/v1", model: "m" };
const say = (content: string) => ({ role: "user", content });

let users = 0;

async function user(groups: string[] = []): Promise<string> {
  const key = await keyFor(`ghost-user-${users++}`, { groups });
  for (const name of ["haiku", "sonnet"])
    await publishOwn(key, { name, description: `Write a ${name}.`, body: `${name}: ${BODY}` });
  return key;
}

const makeGhost = (key: string, name: string, spec: object, namespace = "default") =>
  call("POST", "/api/v1/kinds/ghosts", { key, json: { kind: "Ghost", metadata: { name, namespace }, spec } });

const ask = (key: string, model: string, text: string, headers: Record<string, string> = {}) =>
  call("POST", "/openai/v1/chat/completions", { key, json: { model, messages: [say(text)] }, headers });
async function said(answer: Response): Promise<string> {
  const { choices } = await answer.json<{ choices: { message: { content: string } }[] }>();
  return choices[0]!.message.content;
}
const idsIn = async (key: string, vendor = "openai") =>
  (await (await call("GET", `/${vendor}/v1/models`, { key })).json<{ data: { id: string }[] }>()).data.map(
    ({ id }) => id,
  );

it("brings its own skills, on its own model or on one that is named behind it", async () => {
  const key = await user();
  await makeGhost(key, "poet", { skills: ["haiku"], model: "demo" });
  const own = await ask(key, "ghost/poet", "Please use haiku and sonnet.");
  const id = own.headers.get("x-conversation-id");
  expect(await said(own)).toContain("haiku: Count");
  const status = await (await call("GET", `/api/v1/conversations/${id}`, { key })).json();
  expect(status).toMatchObject({ ghost: "poet", active: [{ skill: "haiku" }] });
  await makeGhost(key, "bard", { skills: ["sonnet"] });
  expect(await said(await ask(key, "ghost/bard:demo", "Please use sonnet."))).toContain("sonnet: Count");
  expect((await ask(key, "ghost/poet:plain", "Please use haiku.")).headers.get("x-skills")).toBe("off; off");
  const bare = await ask(key, "ghost/bard", "Please use sonnet.");
  expect([bare.status, await bare.json()]).toMatchObject([404, { error: { code: "model_not_found", param: "model" } }]);
});

it("is another one when another one is chosen in the middle of a chat", async () => {
  const key = await user();
  const named = { "x-conversation-id": "middle" };
  await makeGhost(key, "poet", { skills: ["haiku"], model: "demo" });
  await makeGhost(key, "bard", { skills: ["sonnet"], model: "demo" });
  await ask(key, "ghost/poet", "Please use haiku.", named);
  expect(await said(await ask(key, "ghost/bard", "Please use sonnet.", named))).toContain("sonnet: Count");
  expect(await (await call("GET", "/api/v1/conversations/middle", { key })).json()).toMatchObject({ ghost: "bard" });
});

it("is not found by users who cannot see it, and calls no model that its user cannot call", async () => {
  const [ada, bob] = [await user(), await user()];
  const planted = "planted-prompt-5d1e";
  await makeGhost(ada, "secret", { skills: ["*"], model: "demo", systemPrompt: planted });
  for (const [model, header] of [["ghost/secret"], ["ghost/secret:demo"], ["ghost/secret:plain"], ["demo", "secret"]]) {
    const answer = await ask(bob, model ?? "", "Hello.", header === undefined ? {} : { "x-skill-ghost": header });
    expect([model, answer.status]).toEqual([model, 404]);
    expect(await answer.text()).not.toContain(planted);
  }
  await call("PUT", "/api/v1/models/closed", {
    json: { ...ELSEWHERE, scope: "gateway", allow: { users: ["nobody"] } },
  });
  await makeGhost(ada, "climber", { skills: ["*"], model: "closed" });
  for (const model of ["ghost/climber", "ghost/secret:closed"])
    expect([model, (await ask(ada, model, "Hello.")).status]).toEqual([model, 404]);
  expect(await idsIn(ada)).toEqual(["demo", "demo:plain", "ghost/secret"]);
  expect(await idsIn(bob)).toEqual(["demo", "demo:plain"]);
});

it("is in the model lists of its model's endpoint, each name once", async () => {
  const key = await user();
  await call("PUT", "/api/v1/models/work", { key, json: ELSEWHERE });
  await makeGhost(key, "worker", { skills: ["*"], model: "work" });
  await makeGhost(key, "idle", { skills: ["*"] });
  await call("POST", "/api/v1/kinds/ghosts", {
    json: { kind: "Ghost", metadata: { name: "worker", namespace: "public" }, spec: { skills: ["*"], model: "demo" } },
  });
  expect((await idsIn(key)).filter((id) => id.startsWith("ghost/"))).toEqual(["ghost/worker"]);
  expect((await idsIn(key, "anthropic")).filter((id) => id.startsWith("ghost/"))).toEqual([]);
  expect((await call("GET", "/openai/v1/models/ghost/worker", { key })).status).toBe(200);
  expect((await call("PUT", "/api/v1/models/ghost%2Fx", { key, json: ELSEWHERE })).status).toBe(400);
});
