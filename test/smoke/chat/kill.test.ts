// The gateway is killed (`kill -9`) while the model streams. The connection breaks, and the next request continues with a correct history.

import { afterEach, beforeEach, expect, it } from "vitest";
import { type Gateway, kill, newPlace, type Run, start, until } from "../launcher";
import { chat, eventsOf, say, startVendor, storeModel, type Vendor } from "./vendor";

let vendor: Vendor;
let run: Run;
let gateway: Gateway;

beforeEach(async () => {
  vendor = await startVendor();
  run = start(await newPlace());
  gateway = await run.ready();
  await storeModel(gateway, vendor);
}, 90_000);
afterEach(() => vendor.close());

/** Kills the runtime after the caller received this text, and waits for the next runtime. */
async function killBehind(answer: Response, text: string): Promise<string> {
  const { runtime } = await run.lock();
  let heard = "";
  const read = async () => {
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
      heard += part;
      if (heard.includes(text)) kill(runtime.pid);
    }
  };
  await expect(read()).rejects.toThrow("terminated");
  await run.line(/^workerd is running again$/);
  await until("it answers", async () => (await gateway.fetch("/health").catch(() => null))?.ok ?? false);
  return heard;
}

const load = ["call_1", "load_skill", { skill_name: "markdown-style" }] as const;

it("the same request goes on behind what was done, and a later one finds all of it", async () => {
  const asking = chat(gateway, [say("One.")], { stream: true });
  (await vendor.asked()).call(...load);
  const second = await vendor.asked();
  expect(second.roles).toEqual(["system", "user", "assistant", "tool"]);
  second.say("Half of an");
  const heard = await killBehind(await asking, "Half of an");
  expect(heard).not.toMatch(/finish_reason":"|\[DONE\]/);
  await second.closed;

  const again = chat(gateway, [say("One.")]);
  const third = await vendor.asked();
  expect(third.body.messages).toEqual(second.body.messages);
  third.stop("All of an answer.");
  const { choices } = (await (await again).json()) as { choices: { message: { content: string } }[] };
  expect(choices[0]!.message.content).toBe("All of an answer.");
  expect(await eventsOf(gateway)).toEqual(["turn", "loaded"]);

  const said = { role: "assistant", content: "All of an answer." };
  const next = chat(gateway, [say("One."), said, say("Two.")]);
  const fourth = await vendor.asked();
  expect(fourth.roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  expect(fourth.body.messages.slice(0, 4)).toEqual(second.body.messages);
  fourth.stop("Fine.");
  expect((await next).status).toBe(200);
  expect(await eventsOf(gateway)).toEqual(["turn", "loaded", "turn"]);
});
