// Which models a caller of the chat endpoint may call.

import { mayCall, modelEntrySchema } from "../../domain/chat/model-entry";
import { modelsOf } from "../../storage/d1/chat/models";
import type { Context } from "../context";
import { demoModel } from "./demo";
import { modelScopes } from "./models";

/** The models that the caller may call, each name once, and the scripted one where there is one. */
export async function listCallable(context: Context) {
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
