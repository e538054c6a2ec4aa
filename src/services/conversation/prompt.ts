// Renders the prompt and tools of the current turn in the format of the caller's API.

import { hasListed, listed } from "../../domain/catalog/catalog";
import { renderList } from "../../domain/catalog/list";
import { activeSkills, type ConversationState } from "../../domain/conversation/activation";
import { renderFront } from "../../domain/conversation/front";
import { neededInstructions, renderLoaded, renderPrompt } from "../../domain/conversation/prompt";
import { policyOf } from "../../domain/conversation/settings";
import { sha256Hex } from "../../domain/digest";
import { builtinTools } from "../../domain/tools/builtin";
import { type Format, renderTool } from "../../domain/tools/formats";
import type { RenderedOffer } from "../session-memory";
import { explainTools } from "../tools/explain";
import { listingModeOf } from "../tools/listing-mode";
import { isEnough } from "../tools/offered";
import type { Step } from "../tools/step";
import { frontOf } from "./auto/front";

/**
 * Returns what the model receives now. Rendered once per state, view and format, because a step needs it before and after.
 *
 * @param state differs from the session's state for reads
 */
export async function renderOffer(
  step: Step,
  format: Format,
  state: ConversationState = step.session.state,
): Promise<RenderedOffer> {
  const { view } = step;
  const { effective, memory } = step.session;
  const known = memory.rendered;
  const { revision } = memory.connections;
  const same = known?.state === state && known.view === view && known.effective === effective;
  if (same && known.format === format && known.revision === revision && isEnough(step)) return known.offer;
  const offer = await render(step, format, state);
  memory.rendered = { state, view, effective, format, revision, offer };
  return offer;
}

/** Reads only the conversation's own store. */
async function render(step: Step, format: Format, state: ConversationState): Promise<RenderedOffer> {
  const { context, session, view } = step;
  const { effective, defaultsToAuto } = session;
  const policy = state.policy ?? policyOf(effective, view.retention, context.settings, { format, defaultsToAuto });
  if (policy.delivery === "auto") return tagged(renderFront(await frontOf(step, false), format));
  const { shown, more } = listed(view.catalog, view.preload);
  const offered = await step.offered();
  const fixed = policy.tool_mode === "fixed";
  const loaded = neededInstructions(activeSkills(state), state.delivered).map(({ skill, reason }) => ({
    name: skill.name,
    // With a fixed tool list, the result of load_skill describes the tools of the loaded skills, and the prompt those of the other skills.
    instructions:
      (session.store.instructions(skill.version_id) ?? "") +
      (fixed && reason !== "loaded" ? explainTools(offered.tools, [skill.name]) : ""),
  }));
  const empty = !hasListed({ shown, more });
  const prompt = renderPrompt(
    {
      system: view.system_prompt,
      // The one-tool style lists the skills in the description of its tool.
      list: empty || policy.tool_style === "skill" ? null : renderList(shown, more),
      loaded: loaded.length === 0 && state.selected.length === 0 ? null : renderLoaded(loaded, state.selected),
      separate: policy.delivery === "message",
    },
    format,
  );
  const finds = await listingModeOf(step);
  const offer = { style: policy.tool_style, mode: policy.tool_mode, finds, shown, more, scripts: offered.scripts };
  // A fixed list contains only tools that need no loading.
  const listing = offered.tools.filter(({ skill }) => (skill === null ? finds === null : !fixed));
  const ofSources = listing.flatMap(({ definition }) => definition ?? []);
  const tools = [...builtinTools(offer), ...ofSources].map((tool) => renderTool(tool, format));
  return tagged({ prompt, tools });
}

async function tagged({ prompt, tools }: Omit<RenderedOffer, "etag">): Promise<RenderedOffer> {
  const etag = (await sha256Hex(JSON.stringify([prompt, tools]))).slice(0, 32);
  return { prompt, tools, etag };
}
