// The prompt and the tools of the current turn, in the form the caller's API takes.

import { listed } from "../../domain/catalog/catalog";
import { renderList } from "../../domain/catalog/list";
import type { View } from "../../domain/catalog/view";
import { activeSkills, type ConversationState } from "../../domain/conversation/activation";
import { carried, type RenderedPrompt, renderLoaded, renderPrompt } from "../../domain/conversation/prompt";
import { policyOf } from "../../domain/conversation/settings";
import { sha256Hex } from "../../domain/digest";
import type { JsonObject } from "../../domain/json";
import { builtinTools } from "../../domain/tools/builtin";
import { type Format, renderTool } from "../../domain/tools/formats";
import type { Context } from "../context";
import { connectionsRevision } from "../servers/connections";
import type { Session } from "../session";
import { explainTools } from "../tools/explain";
import { offeredTools } from "../tools/offered";

export interface PromptOffer {
  prompt: RenderedPrompt;
  tools: JsonObject[];
  /** Changes exactly when the prompt or the tools do. */
  etag: string;
}

/**
 * What the model is to be given now. Rendered once for a state, a view and a format, since a step asks before and after.
 *
 * @param state another one than the session's for somebody who only looks
 */
export async function offered(
  context: Context,
  session: Session,
  view: View,
  format: Format,
  state: ConversationState = session.state,
): Promise<PromptOffer> {
  const { effective } = session;
  const known = rendered.get(session);
  const revision = connectionsRevision(session);
  const same = known?.state === state && known.view === view && known.effective === effective;
  if (same && known.format === format && known.revision === revision) return known.offer;
  const offer = await render(context, session, view, format, state);
  rendered.set(session, { state, view, effective, format, revision, offer });
  return offer;
}

const rendered = new WeakMap<
  Session,
  {
    state: Session["state"];
    view: View;
    effective: Session["effective"];
    format: Format;
    revision: number;
    offer: PromptOffer;
  }
>();

/** Reads nothing but the conversation's own store. */
async function render(
  context: Context,
  session: Session,
  view: View,
  format: Format,
  state: ConversationState,
): Promise<PromptOffer> {
  const policy = state.policy ?? policyOf(session.effective, view.retention, context.settings);
  const { shown, more } = listed(view.catalog, view.preload);
  const provided = await offeredTools(context, session, view);
  const fixed = policy.tool_mode === "fixed";
  const loaded = carried(activeSkills(state), state.delivered).map(({ skill, reason }) => ({
    name: skill.name,
    // Where the list of tools is fixed, load_skill's answer describes what it brought; nobody else described the others.
    instructions:
      (session.store.instructions(skill.version_id) ?? "") +
      (fixed && reason !== "loaded" ? explainTools(provided.tools, [skill.name]) : ""),
  }));
  const empty = view.catalog.total === 0;
  const prompt = renderPrompt(
    {
      system: view.system_prompt,
      // The one-tool style lists the skills in its tool's description instead.
      list: empty || policy.tool_style === "skill" ? null : renderList(shown, more),
      loaded: loaded.length === 0 && state.selected.length === 0 ? null : renderLoaded(loaded, state.selected),
      separate: policy.delivery === "message",
    },
    format,
  );
  const offer = { style: policy.tool_style, mode: policy.tool_mode, shown, more, scripts: provided.scripts };
  // Where the list is fixed it has what no loading brings.
  const listing = fixed ? provided.tools.filter(({ skill }) => skill === null) : provided.tools;
  const brought = listing.flatMap(({ definition }) => definition ?? []);
  const tools = [...builtinTools(offer), ...brought].map((tool) => renderTool(tool, format));
  const etag = (await sha256Hex(JSON.stringify([prompt, tools]))).slice(0, 32);
  return { prompt, tools, etag };
}
