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

it.each(KINDS)(
  "%s: a chat that is patient goes on, another goes on without skills or fails, and all go on after",
  async (name, begin) => {
    const place = await newPlace();
    let run = start(place);
    let gateway: Gateway = await run.ready();
    await upload(gateway, "harbour", `${ORDER}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`);
    const [patient, open, closed] = await Promise.all([begin(), begin(), begin()]);
    const talks = [patient, open, closed];
    try {
      let arrived = 0;
      let goOn = () => {};
      const isDown = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      /** Creates a chat whose second call waits until the gateway was killed. */
      const chatOf = (id: string, retries: number, options: ChatOptions = {}) => {
        let calls = 0;
        const held: typeof fetch = async (url, init) => {
          if (String(url).endsWith("/tool-calls") && ++calls === 2) {
            if (++arrived === talks.length) {
              await killed(run);
              goOn();
            }
            await isDown;
          }
          return fetch(url, init);
        };
        const client = new SkillGateway({ url: gateway.url, key: gateway.key, retries, fetch: held });
        return client.chat(`${name}-${id}`, options);
      };
      for (const { vendor } of talks) vendor.plan.push([LOAD], [FIND], []);
      const chats = [chatOf("patient", 8), chatOf("open", 0, { failOpen: true }), chatOf("closed", 0)] as const;
      const waits = patient.say("How is the tide?", chats[0]);
      const [goesOn, fails] = await Promise.allSettled([
        open.say("How is the tide?", chats[1]),
        closed.say("How is the tide?", chats[2]),
      ]);
      expect(goesOn).toMatchObject({ status: "fulfilled", value: "Said in step 3." });
      expect(open.vendor.bodies[2]).toContain("skills cannot be reached");
      expect(fails.status).toBe("rejected");
      expect(closed.vendor.bodies).toHaveLength(2);

      run = start(place, { port: Number(new URL(gateway.url).port) });
      gateway = await run.ready();
      expect(await waits).toBe("Said in step 3.");
      for (const sent of patient.vendor.bodies.slice(1)) expect(sent.split(ORDER)).toHaveLength(2);
      for (const [at, talk] of talks.entries()) {
        talk.vendor.plan.splice(0);
        await talk.say("And tomorrow?", chats[at] as Chat);
        // The instructions are sent once: the gateway detects that the history contains them.
        expect(talk.vendor.bodies.at(-1)?.split(ORDER)).toHaveLength(2);
        expect(talk.vendor.refusals ?? []).toEqual([]);
      }
    } finally {
      for (const { vendor } of talks) await vendor.close();
    }
  },
);
