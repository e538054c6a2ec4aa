// The owner of a secret, model or server in requests and responses.

import { GATEWAY_SCOPE, groupOfScope } from "../domain/access/access";
import { groupName } from "../edge/schemas";
import * as z from "../edge/zod";
import type { SecretOwner } from "../services/secrets/secrets";

export const ownerFields = {
  scope: z.enum(["user", "group", "gateway"]).default("user"),
  group_name: groupName.optional(),
};

export const groupNamed = <T extends { scope: string; group_name?: string | undefined }>(given: T) =>
  (given.scope === "group") === (given.group_name !== undefined);
export const groupNamedMessage = {
  message: "`group_name` is required for the scope `group` and not allowed for others",
  path: ["group_name"],
};

export const ownerQuery = z.object(ownerFields).refine(groupNamed, groupNamedMessage);

/** The owner in a response. */
export const ownerInResponse = () => ({
  scope: z.enum(["user", "group", "gateway"]),
  group_name: z.string().optional(),
});

export function ownerFromQuery({ scope, group_name }: z.infer<typeof ownerQuery>): SecretOwner {
  if (scope !== "group") return { kind: scope };
  return { kind: "group", group: group_name ?? "" };
}

export function wireOwner(scope: string): { scope: "user" | "group" | "gateway"; group_name?: string } {
  const group = groupOfScope(scope);
  if (group !== null) return { scope: "group", group_name: group };
  return { scope: scope === GATEWAY_SCOPE ? "gateway" : "user" };
}
