// Manages trusted publishers: the CI jobs that can publish skills of a user, of a group, or public ones.

import { canManagePublishers, canSeeGroup, groupScope, PUBLIC_SCOPE, userScope } from "../../domain/access/access";
import type { PublisherEntry } from "../../domain/access/publisher";
import { GatewayError } from "../../domain/errors";
import { PUBLISHER_LIMITS } from "../../domain/limits";
import {
  deletePublisher,
  listPublishers,
  type PublisherRow,
  putPublisher,
  readPublisher,
} from "../../storage/d1/publishers";
import { adminOnlyError } from "../admin";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { groupNotFound, roleTooLow } from "./groups";

/** The owner of a publisher, and of what it publishes. */
export type PublisherOwner = { kind: "user" } | { kind: "group"; group: string } | { kind: "public" };

/** Stores a whole publisher under its name. Keys of the previous one end. */
export async function storePublisher(context: Context, owner: PublisherOwner, name: string, entry: PublisherEntry) {
  const scope = managedScope(context, owner);
  const { issuer, claims, skills, key_minutes: keyMinutes } = entry;
  const audience = entry.audience ?? context.origin;
  if (audience === undefined) throw new Error("a request has an origin");
  const recorded = audited(context, "publisher.put", `${scopeInLog(scope)}/${name}`, {
    after: { issuer, audience, claims, skills, key_minutes: keyMinutes },
    when: { thing: "is", type: "publisher", id: `${scope}/${name}` },
  });
  const publisher = {
    ...{ id: context.newId("pub"), scope, name, issuer, audience, claims, skills, keyMinutes },
    ...{ revision: context.newId("rev"), createdBy: context.caller.principal.userId },
  };
  const stored = await putPublisher(recorded, publisher, PUBLISHER_LIMITS.perScope);
  if (stored !== null) return stored;
  const message = `Publisher limit reached (${PUBLISHER_LIMITS.perScope}). Delete a publisher first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: PUBLISHER_LIMITS.perScope });
}

export async function onePublisher(context: Context, owner: PublisherOwner, name: string): Promise<PublisherRow> {
  const found = await readPublisher(context.db, managedScope(context, owner), name);
  if (found === null) throw publisherNotFound();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfPublishers(context: Context, owner: PublisherOwner, limit: number, after: string | null) {
  return listPublishers(context.db, managedScope(context, owner), limit, after);
}

/** Deletes a publisher. Its keys end immediately. */
export async function removePublisher(context: Context, owner: PublisherOwner, name: string): Promise<void> {
  const scope = managedScope(context, owner);
  const recorded = audited(context, "publisher.delete", `${scopeInLog(scope)}/${name}`, {
    when: { thing: "was", type: "publisher", id: `${scope}/${name}` },
  });
  if (!(await deletePublisher(recorded, scope, name))) throw publisherNotFound();
}

/** Returns the owner's scope. Throws if the caller cannot manage its publishers. A group without the caller is reported as not found. */
function managedScope({ caller: { principal } }: Context, owner: PublisherOwner): string {
  const scope =
    owner.kind === "public"
      ? PUBLIC_SCOPE
      : owner.kind === "user"
        ? userScope(principal.userId)
        : groupScope(owner.group);
  if (canManagePublishers(principal, scope)) return scope;
  if (owner.kind !== "group")
    throw adminOnlyError("Only admins can manage the publishers of public skills. Use an admin's key.");
  const membership = principal.groups.find(({ group }) => group === owner.group);
  if (!canSeeGroup(principal, owner.group)) throw groupNotFound();
  if (membership?.claimed !== true) throw roleTooLow(owner.group, "Maintainer");
  throw new GatewayError(
    "forbidden",
    "MEMBERSHIP_CLAIMED",
    `Only your token states that you are in the group '${owner.group}', and a publisher outlives the token. Ask an owner of the group to add you as a member.`,
  );
}

function publisherNotFound(): GatewayError {
  return new GatewayError("not_found", "PUBLISHER_NOT_FOUND", "Publisher not found. Check the name and the scope.");
}
