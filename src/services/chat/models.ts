// Stores the models of the chat endpoint, and finds them by name.

import { GATEWAY_SCOPE, groupScope, userScope } from "../../domain/access/access";
import { MODEL_LIMITS } from "../../domain/chat/limits";
import { type ModelEntry, modelProblems } from "../../domain/chat/model-entry";
import { GatewayError, invalid } from "../../domain/errors";
import { type JsonObject, jsonObject, utf8Bytes } from "../../domain/json";
import { deleteModel, listModels, type ModelRow, putModel, readModel } from "../../storage/d1/chat/models";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { ownedScope, type SecretOwner } from "../secrets/secrets";

/** Stores a whole entry under its name. Only the gateway's models can use the addresses that the operator allows. */
export async function storeModel(context: Context, owner: SecretOwner, name: string, entry: ModelEntry) {
  const scope = ownedScope(context, owner);
  const issues = modelProblems(entry, originsFor(context, scope), __DEVELOPMENT__);
  const stored = jsonOf(entry);
  if (utf8Bytes(JSON.stringify(stored)) > MODEL_LIMITS.entryBytes)
    issues.push({
      code: "MODEL_TOO_LARGE",
      message: "Model entry too large (limit 32 KiB as JSON). Shorten its headers and texts.",
      path: "",
    });
  if (issues.length > 0) throw invalid(issues);
  const recorded = audited(context, "model.put", `${scopeInLog(scope)}/${name}`, {
    after: { api: entry.api, base_url: entry.base_url, model: entry.model },
    when: { thing: "is", type: "model", id: `${scope}/${name}` },
  });
  const { userId } = context.caller.principal;
  const put = await putModel(recorded, { scope, name, entry: stored, createdBy: userId }, MODEL_LIMITS.perScope);
  if (put !== null) return put;
  const message = `Model limit reached (${MODEL_LIMITS.perScope}). Delete a model first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: MODEL_LIMITS.perScope });
}

export async function oneModel(context: Context, owner: SecretOwner, name: string): Promise<ModelRow> {
  const found = await readModel(context.db, ownedScope(context, owner), name);
  if (found === null) throw modelNotFound();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfModels(context: Context, owner: SecretOwner, limit: number, after: string | null) {
  return listModels(context.db, ownedScope(context, owner), limit, after);
}

export async function removeModel(context: Context, owner: SecretOwner, name: string): Promise<void> {
  const scope = ownedScope(context, owner);
  const recorded = audited(context, "model.delete", `${scopeInLog(scope)}/${name}`, {
    when: { thing: "was", type: "model", id: `${scope}/${name}` },
  });
  if (!(await deleteModel(recorded, scope, name))) throw modelNotFound();
}

/** Returns the non-public addresses that a model of this scope can use. */
export function originsFor(context: Context, scope: string): readonly string[] {
  return scope === GATEWAY_SCOPE ? context.settings.MODEL_HOSTS : [];
}

/** Returns the scopes whose models the caller sees, first wins. */
export function modelScopes(context: Context): string[] {
  const { principal } = context.caller;
  return [userScope(principal.userId), ...principal.groups.map(({ group }) => groupScope(group)), GATEWAY_SCOPE];
}

/** Returns the entry as JSON without undefined fields. */
const jsonOf = (entry: ModelEntry): JsonObject => jsonObject.parse(JSON.parse(JSON.stringify(entry)));

function modelNotFound(): GatewayError {
  return new GatewayError("not_found", "MODEL_NOT_FOUND", "Model not found. Check the name.");
}
