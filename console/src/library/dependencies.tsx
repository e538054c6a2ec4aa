// Shows the dependencies of a skill, direct and indirect, and the ghosts that use it, as a graph and as a table.

import { useQuery } from "@tanstack/react-query";
import { Network } from "lucide-react";
import type { ReactNode } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Graph, type Node, type Tie } from "../parts/graph";
import { Answer, Empty } from "../parts/state";
import { Plain } from "../parts/text";
import { rich, t } from "../text/text";

/** The number of skills that are looked up by name. Each takes one request. */
const ASKED = 24;

interface Found {
  nodes: Node[];
  ties: Tie[];
  /** Names that were not looked up because of the limit. */
  unasked: string[];
  /** Number of ghosts that the user cannot see. */
  hidden: number;
}

export default function Dependencies({ skill }: { skill: Skill }): ReactNode {
  const { id } = skill.metadata.labels;
  const answer = useQuery({
    queryKey: ["skill", id, "graph", skill.status.version_id],
    queryFn: ({ signal }) => foundOf(skill, signal),
  });
  return (
    <Answer of={answer} what={t("the dependencies")}>
      {({ nodes, ties, unasked, hidden }) => (
        <>
          {ties.length === 0 ? (
            <Empty icon={Network} title={t("No dependencies")}>
              <p>{t("The skill needs no other skill, and no visible agent uses it.")}</p>
            </Empty>
          ) : (
            <Graph name={t("Dependencies")} nodes={nodes} ties={ties} />
          )}
          {hidden > 0 && (
            <p className="soft">{t("{count} more agents that you cannot see use this skill.", { count: hidden })}</p>
          )}
          {unasked.length > 0 && (
            <p className="soft">
              {rich("Not shown: dependencies of {names}.", { names: <Plain>{unasked.join(", ")}</Plain> })}
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

const needsOf = ({ spec }: Skill): string[] => [
  ...new Set(spec.dependencies.map((text) => text.split("@", 1)[0] ?? "")),
];

async function foundOf(root: Skill, signal: AbortSignal): Promise<Found> {
  const { id } = root.metadata.labels;
  const nodes = new Map<string, Node>([[root.metadata.name, nodeOf(root)]]);
  const ties: Tie[] = [];
  let level = [root];
  let asked = 0;
  const unasked: string[] = [];
  while (level.length > 0) {
    for (const skill of level)
      for (const to of needsOf(skill))
        ties.push({ from: `skill ${skill.metadata.name}`, to: `skill ${to}`, what: "needs" });
    const next = [...new Set(level.flatMap(needsOf))].filter((name) => !nodes.has(name));
    const names = next.slice(0, ASKED - asked);
    asked += names.length;
    for (const name of next.slice(names.length)) {
      unasked.push(name);
      nodes.set(name, { id: `skill ${name}`, name, kind: "skill" });
    }
    const found = await Promise.all(
      names.map(async (name) => {
        const { items } = await slice("skills.list", { query: { name, limit: 1 } }, signal);
        return [name, items[0]] as const;
      }),
    );
    for (const [name, skill] of found)
      nodes.set(name, skill === undefined ? { id: `skill ${name}`, name, kind: "missing" } : nodeOf(skill));
    level = found.flatMap(([, skill]) => skill ?? []);
  }
  const { referenced_ghosts: ghosts, hidden_count: hidden } = await call("skills.references", { path: { id } }, signal);
  const users = ghosts.map(({ id: ghost, name }): Node => ({ id: ghost, name, kind: "ghost" }));
  for (const { id: ghost } of users) ties.push({ from: ghost, to: `skill ${root.metadata.name}`, what: "uses" });
  return { nodes: [...users, ...nodes.values()], ties, unasked, hidden };
}

function nodeOf({ metadata: { name }, spec: { version } }: Skill): Node {
  return { id: `skill ${name}`, name, kind: "skill", ...(version === undefined ? {} : { note: version }) };
}
