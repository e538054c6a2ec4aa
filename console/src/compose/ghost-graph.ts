// Builds a graph of a previewed ghost: its skills, their dependencies and tools, and the names that collide.

import type { GhostPreview } from "../../../sdk/src/generated/operations";
import type { Node, Tie } from "../parts/graph";
import { t } from "../text/text";

/** A dependency that no skill of the ghost satisfies is a missing node, unless the preview does not list all skills. */
export function graphOf(
  name: string,
  { skills, more, servers, collisions }: Pick<GhostPreview, "skills" | "more" | "servers" | "collisions">,
): { nodes: Node[]; ties: Tie[] } {
  const meeting = new Set(collisions.map(({ kind, name: shared }) => `${kind} ${shared}`));
  const nodes = new Map<string, Node>();
  const ties: Tie[] = [];
  const add = (node: Node) => {
    if (!nodes.has(node.id)) nodes.set(node.id, node);
    return node.id;
  };
  const thing = (kind: "server" | "tool", called: string) =>
    add({ id: `${kind} ${called}`, name: called, kind, meets: meeting.has(`${kind} ${called}`) });
  const ghost = add({ id: "ghost", name: name === "" ? t("this agent") : name, kind: "ghost" });
  for (const { name: called, version } of skills)
    add({ id: `skill ${called}`, name: called, kind: "skill", ...(version === null ? {} : { note: version }) });
  for (const server of servers) ties.push({ from: ghost, to: thing("server", server.name), what: "has" });
  for (const skill of skills) {
    const from = `skill ${skill.name}`;
    ties.push({ from: ghost, to: from, what: "has" });
    for (const needed of skill.needs) {
      const to = `skill ${needed}`;
      if (!nodes.has(to) && more > 0) continue;
      ties.push({ from, to: add({ id: to, name: needed, kind: "missing" }), what: "needs" });
    }
    for (const server of skill.servers) ties.push({ from, to: thing("server", server), what: "brings" });
    // Shows only tools whose name occurs more than once, because there are many tools.
    for (const tool of skill.tools.filter((one) => meeting.has(`tool ${one}`)))
      ties.push({ from, to: thing("tool", tool), what: "brings" });
  }
  return { nodes: [...nodes.values()], ties };
}
