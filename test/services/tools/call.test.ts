// Calling code while the registry is down: tools stay in the list, and no code runs.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { currentView } from "../../../src/services/catalog/view";
import type { Context } from "../../../src/services/context";
import { loadSkill } from "../../../src/services/conversation/load";
import { beginTurn } from "../../../src/services/conversation/turn";
import { createSession, openSession } from "../../../src/services/session";
import { callByOfferedName } from "../../../src/services/tools/call";
import { offeredTools, stepOf } from "../../../src/services/tools/offered";
import { executeScript } from "../../../src/services/tools/script";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { publishPublic } from "../../support/chat-turns";
import { contextOf } from "../../support/context";
import { providerSkill } from "../../support/provider";

it("refuses while the registry does not answer", async () => {
  await publishPublic(
    providerSkill("steady", { act: "return 'acted'" }, { files: { "scripts/x.js": "console.log(1)" } }),
  );
  const stub = env.CONVERSATIONS.getByName(JSON.stringify(["ann", "stale"]));
  await runInDurableObject(stub, async (_, state) => {
    const store = new ConversationStore(state.storage);
    const context: Context = { ...contextOf("ann"), loader: env.LOADER };
    createSession(store, "ann", "stale", {}, 0);
    const session = openSession(store)!;
    const nothing = {
      key: null,
      history: null,
      history_cut: false,
      have: null,
      model: null,
      cache: null,
      usage: null,
      history_tokens: null,
    };
    await beginTurn(context, session, { ...nothing, selected_skills: [], message: null }, "openai");
    const { view } = await currentView(context, session);
    await loadSkill({ context, session, view }, "steady", { forClient: false, again: false, call: "0" });
    const call = { callId: "1", request: "", host: null, signal: new AbortController().signal };
    const place = { ...stepOf({ context, session, view }), ...call };
    expect(await callByOfferedName(place, "act", {})).toEqual({ content: [{ type: "text", text: "acted" }] });

    const stale: Context = { ...context, caller: { ...context.caller, stale: true } };
    const { view: kept } = await currentView(stale, session);
    const down = { ...stepOf({ context: stale, session, view: kept }), ...call };
    expect((await offeredTools(down)).tools.map((tool) => tool.name)).toEqual(["act"]);
    const why = "the registry does not respond, so code is not run. Try again in a moment.";
    expect(await callByOfferedName(down, "act", {})).toEqual({
      content: [{ type: "text", text: `Tool 'act' is not available: ${why}` }],
      isError: true,
    });
    const script = { skill_name: "steady", script_path: "scripts/x.js", args: [], input: "", files: [] };
    expect(await executeScript(down, script)).toEqual({
      content: [{ type: "text", text: `Error: Scripts of skill 'steady' do not run: ${why}` }],
      isError: true,
    });
  });
});
