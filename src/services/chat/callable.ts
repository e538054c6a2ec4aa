// Lists the models that a caller of the chat endpoint can use.

import { visibleScopes } from "../../domain/access/access";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import { mayCall, modelEntrySchema, nameOfGhost, namesOfModel } from "../../domain/chat/model-entry";
import { ghostsWithModel, modelsOf } from "../../storage/d1/chat/models";
import type { Context } from "../context";
import { demoModel } from "./demo";
import { modelScopes } from "./models";

/** Returns models with their names, and ghosts that name one of them. */
export async function listCallable(context: Context) {
  const [models, ghosts] = await Promise.all([callableModels(context), ghostsFirst(context)]);
  const shown = models.map(({ name, ...model }) => ({ ...model, names: namesOfModel(name) }));
  const run = ghosts.flatMap(({ name, createdAt, model: wanted }) =>
    models
      .filter((model) => model.name === wanted)
      .map(({ entry }) => ({ createdAt, entry, names: [nameOfGhost(name)] })),
  );
  return [...shown, ...run];
}

/** Returns the visible ghosts; of equal names, the one that the name refers to. */
async function ghostsFirst(context: Context) {
  const scopes = visibleScopes(context.caller.principal);
  const rows = await ghostsWithModel(context.db, scopes, CHAT_LIMITS.listedGhosts);
  rows.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  return [...new Map(rows.toReversed().map((row) => [row.name, row])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/** Returns the models that the caller can use, each name once, and the scripted model if enabled. */
async function callableModels(context: Context) {
  const scopes = modelScopes(context);
  const rows = await modelsOf(context.db, scopes);
  rows.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  const first = new Map(rows.toReversed().map((row) => [row.name, row]));
  const callable = [...first.values()]
    .map(({ name, createdAt, entry }) => ({ name, createdAt, entry: modelEntrySchema.parse(entry) }))
    .filter(({ entry }) => mayCall(entry.allow ?? {}, context.caller.principal))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const demo = first.has("demo") ? null : demoModel(context, "demo");
  return [...callable, ...(demo === null ? [] : [{ name: demo.name, createdAt: 0, entry: demo.entry }])];
}
