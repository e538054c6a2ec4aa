// The adapters with a gateway that is killed between two steps of a turn and restarted with its stored state.

import * as ai from "ai";
import { expect, it } from "vitest";
import { aiSdk } from "../../sdk/src/ai-sdk";
import { type Chat, type ChatOptions, SkillGateway } from "../../sdk/src/index";
import { startAiVendor } from "../support/sdk/ai-vendor";
import { anthropicChat, openaiChat, responsesChat } from "../support/sdk/existing-chats";
import { startVendor } from "../support/vendors/server";
import { type Gateway, kill, newPlace, type Run, start } from "./launcher";
import { upload } from "./skill";

const ORDER = "Sign every report with Aye.";
const LOAD = { name: "load_skill", input: { skill_name: "harbour" } };
const FIND = { name: "find_skill", input: { query: "harbour" } };

interface Talk {
  say(text: string, skills: Chat): Promise<string>;
  vendor: {
    url: string;
    plan: (readonly { name: string; input: object }[])[];
    bodies: string[];
    refusals?: unknown[];
    close(): Promise<void>;
  };
}

async function aiTalk(): Promise<Talk> {
  const vendor = await startAiVendor();
  const messages: ai.ModelMessage[] = [];
  const model = ai.createGateway({ baseURL: vendor.url, apiKey: "none" })("openai/gpt-6-sol");
  return {
    vendor,
    async say(text, skills) {
      messages.push({ role: "user", content: text });
      const failures: unknown[] = [];
      const onError = ({ error }: { error: unknown }) => void failures.push(error);
      const result = ai.streamText({ model, ...(await aiSdk(skills, { messages })), maxRetries: 0, onError });
      const said = await result.text;
      if (failures.length > 0) throw failures[0];
      messages.push(...(await result.responseMessages));
      return said;
    },
  };
}

const KINDS: [string, () => Promise<Talk>][] = [
  ["openai", () => startVendor().then((vendor) => ({ vendor, say: openaiChat(vendor, true).say }))],
  ["responses", () => startVendor().then((vendor) => ({ vendor, say: responsesChat(vendor, true, true).say }))],
  ["anthropic", () => startVendor().then((vendor) => ({ vendor, say: anthropicChat(vendor, true, false).say }))],
  ["ai", aiTalk],
];

async function killed(run: Run): Promise<void> {
  const { runtime } = await run.lock();
  run.process.kill("SIGKILL");
  kill(runtime.pid);
  await run.exit;
}

it("a chat that is patient goes on, another goes on without skills or fails, and all go on after, in each kind", async () => {
  const place = await newPlace();
  let run = start(place);
  const gateway: Gateway = await run.ready();
  await upload(gateway, "harbour", `${ORDER}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`);
  let arrived = 0;
  const down = Promise.withResolvers<void>();
  /** Creates a chat whose second call waits until the gateway was killed, which happens when all chats have arrived there. */
  const chatOf = (id: string, retries: number, options: ChatOptions = {}) => {
    let calls = 0;
    const held: typeof fetch = async (url, init) => {
      if (String(url).endsWith("/tool-calls") && ++calls === 2) {
        if (++arrived === 3 * KINDS.length) {
          await killed(run);
          down.resolve();
        }
        await down.promise;
      }
      return fetch(url, init);
    };
    const client = new SkillGateway({ url: gateway.url, key: gateway.key, retries, fetch: held });
    return client.chat(id, options);
  };
  const kinds = await Promise.all(
    KINDS.map(async ([name, begin]) => {
      const [patient, open, closed] = await Promise.all([begin(), begin(), begin()]);
      const talks = [
        { talk: patient, chat: chatOf(`${name}-patient`, 20) },
        { talk: open, chat: chatOf(`${name}-open`, 0, { failOpen: true }) },
        { talk: closed, chat: chatOf(`${name}-closed`, 0) },
      ];
      for (const { vendor } of [patient, open, closed]) vendor.plan.push([LOAD], [FIND], []);
      return { name, patient, open, closed, talks };
    }),
  );
  try {
    const asked = kinds.map((kind) => {
      const [waits, ...others] = kind.talks.map(({ talk, chat }) => talk.say("How is the tide?", chat));
      return { ...kind, waits, ended: Promise.allSettled(others) };
    });
    for (const { name, open, closed, ended } of asked) {
      const [goesOn, fails] = await ended;
      expect(goesOn, name).toMatchObject({ status: "fulfilled", value: "Said in step 3." });
      expect(open.vendor.bodies[2], name).toContain("skills cannot be reached");
      expect(fails?.status, name).toBe("rejected");
      expect(closed.vendor.bodies, name).toHaveLength(2);
    }

    run = start(place, { port: Number(new URL(gateway.url).port) });
    await run.ready();
    for (const { name, patient, talks, waits } of asked) {
      expect(await waits, name).toBe("Said in step 3.");
      for (const sent of patient.vendor.bodies.slice(1)) expect(sent.split(ORDER), name).toHaveLength(2);
      for (const { talk, chat } of talks) {
        talk.vendor.plan.splice(0);
        await talk.say("And tomorrow?", chat);
        // The instructions are sent once: the gateway detects that the history contains them.
        expect(talk.vendor.bodies.at(-1)?.split(ORDER), name).toHaveLength(2);
        expect(talk.vendor.refusals ?? [], name).toEqual([]);
      }
    }
  } finally {
    for (const { talks } of kinds) for (const { talk } of talks) await talk.vendor.close();
  }
});
