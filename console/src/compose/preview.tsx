// Shows the gateway's preview of a ghost while it is edited: its prompt, its cost, name collisions, and dependencies.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { GhostPreview } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { Graph } from "../parts/graph";
import { Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { type Draft, isIssue, specOf } from "./draft";
import { graphOf } from "./ghost-graph";
import { useSettled } from "./settled";

/** Requests a preview when the user pauses. The gateway creates no conversation and stores nothing. */
export function usePreview(draft: Draft, shell: string) {
  const settled = useSettled(draft);
  const spec = specOf(settled);
  const { namespace } = settled;
  const asked = useQuery<GhostPreview>({
    queryKey: ["ghost-preview", spec, namespace, shell],
    enabled: !isIssue(spec),
    queryFn: ({ signal }) =>
      isIssue(spec)
        ? Promise.reject(new Error(spec.message))
        : call("ghosts.preview", { body: { spec, namespace, ...(shell === "" ? {} : { shell }) } }, signal),
    placeholderData: keepPreviousData,
  });
  return { ...asked, isBehind: settled !== draft || asked.isFetching };
}

export function Preview({
  name,
  preview,
  error,
  isBehind,
  children,
}: {
  name: string;
  preview: GhostPreview | undefined;
  error: Error | null;
  isBehind: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <section aria-label={t("Preview")} className="preview" aria-busy={isBehind}>
      <h2>{t("Preview")}</h2>
      {children}
      <p role="status" className="soft">
        {isBehind ? t("Updating…") : error !== null ? t("The preview failed.") : state(preview)}
      </p>
      {/* Errors of fields are shown next to the fields. */}
      {error !== null && !(error instanceof Refusal && error.issues.length > 0) && <Trouble error={error} />}
      {preview !== undefined && (
        <>
          <Costs tokens={preview.tokens} />
          <Meets collisions={preview.collisions} />
          <Servers servers={preview.servers} />
          <Dependencies {...graphOf(name, preview)} />
          <details>
            <summary>{t("Prompt of the first turn")}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
            <pre tabIndex={0} className="prompt">
              {visible(preview.prompt)}
            </pre>
          </details>
        </>
      )}
    </section>
  );
}

function state(preview: GhostPreview | undefined): string {
  if (preview === undefined) return "";
  const more = preview.more === 0 ? "" : ` ${t("and {count} more", { count: figure(preview.more) })}`;
  const skills = t(preview.skills.length === 1 ? "{count} skill" : "{count} skills", {
    count: `${figure(preview.skills.length)}${more}`,
  });
  return preview.valid ? t("Ready to save. {skills}.", { skills }) : t("Not ready to save. {skills}.", { skills });
}

function Costs({ tokens }: { tokens: GhostPreview["tokens"] }): ReactNode {
  const lines: [what: string, count: number][] = [
    [t("Own prompt"), tokens.system_prompt],
    [t("Skill list"), tokens.list],
    [t("Preloaded skills"), tokens.preloaded],
    [t("Total"), tokens.prompt],
    [t("All skills pasted"), tokens.system_prompt + tokens.static],
  ];
  return (
    <Table name={t("Tokens of the first turn")} heads={[t("Prompt"), { num: t("Tokens") }]}>
      {lines.map(([what, count]) => (
        <tr key={what}>
          <th scope="row">{what}</th>
          <td className="num">{figure(count)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Shows nothing for an agent without skills and servers. */
function Dependencies(graph: ReturnType<typeof graphOf>): ReactNode {
  return graph.ties.length === 0 ? null : <Graph name={t("Dependencies")} {...graph} />;
}

function Meets({ collisions }: Pick<GhostPreview, "collisions">): ReactNode {
  if (collisions.length === 0) return null;
  return (
    <section className="note warn" aria-label={t("Name conflicts")}>
      <p>
        <strong>{t("Name conflicts.")}</strong>{" "}
        {t(
          "Tools with the same name are renamed. A skill's server replaces the agent's, and the agent's replaces the gateway's.",
        )}
      </p>
      <ul>
        {collisions.slice(0, 50).map(({ kind, name, of }) => (
          <li key={`${kind} ${name}`}>
            {kind} <Plain>{name}</Plain>: <Plain>{of.join(", ")}</Plain>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Servers({ servers }: Pick<GhostPreview, "servers">): ReactNode {
  if (servers.length === 0) return null;
  return (
    <Table name={t("Servers of the agent")} heads={[t("Server"), t("Host"), t("Secrets")]}>
      {servers.slice(0, 100).map(({ name, host, problem, secrets }) => (
        <tr key={name}>
          <th scope="row">
            <Plain>{name}</Plain>
          </th>
          <td>
            <Plain>{problem ?? host ?? ""}</Plain>
          </td>
          <td>
            <Plain>{secrets.join(", ")}</Plain>
          </td>
        </tr>
      ))}
    </Table>
  );
}
