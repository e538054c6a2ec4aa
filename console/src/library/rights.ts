// Contains the user's rights in the scope of a skill.

import type { NamespaceRights, Skill } from "../../../sdk/src/generated/operations";
import { useMe } from "../gateway/session";

export function useRights({ metadata: { namespace, labels } }: Skill): NamespaceRights | undefined {
  const where = labels.user_id === "0" ? "public" : namespace;
  return useMe().rights.namespaces.find((rights) => rights.namespace === where);
}
