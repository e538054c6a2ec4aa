// Shows the scheduled checks of an MCP server of the gateway, and the skills that it offers, which an admin approves after a review.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { McpServerDetails, ServerSkill } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Button, Window } from "../parts/controls";
import { Answer, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain, visible, When } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";

export function ServerDetails({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
  const path = { name };
  const server = useQuery({
    queryKey: ["server", name],
    queryFn: ({ signal }) => call("mcpServers.get", { path }, signal),
  });
  const skills = useQuery({
    queryKey: ["server-skills", name],
    queryFn: ({ signal }) => call("mcpServers.listSkills", { path }, signal),
    // What is reviewed is what the server offers now.
    gcTime: 0,
  });
  return (
    <Window title={visible(name)} onClose={onClose}>
      <h3>{t("Checks")}</h3>
      <Answer of={server} what={t("the checks")}>
        {({ checks }) => <Checks checks={checks} />}
      </Answer>
      <h3>{t("Skills")}</h3>
      <Answer of={skills} what={t("the skills")}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">{t("This server offers no skills.")}</p>
          ) : (
            <ul className="plain-list">
              {items.map((skill) => (
                <Skill key={skill.uri} server={name} skill={skill} />
              ))}
            </ul>
          )
        }
      </Answer>
      <div className="buttons">
        <Button onPress={onClose}>{t("Close")}</Button>
      </div>
    </Window>
  );
}

function Checks({ checks }: Pick<McpServerDetails, "checks">): ReactNode {
  if (checks.length === 0) return <p className="soft">{t("The schedule has not checked this server yet.")}</p>;
  return (
    <Table name={t("Checks")} heads={[t("Time"), t("Address"), t("State"), { num: t("Duration") }]}>
      {checks.map(({ at, url, latency_ms, error }) => (
        <tr key={`${at} ${url}`}>
          <td>
            <When at={at} />
          </td>
          <td className="long">
            <Plain>{url}</Plain>
          </td>
          <td className="long">
            <span className={`tag ${error === undefined ? "good" : "bad"}`}>
              {error === undefined ? t("up") : t("down")}
            </span>{" "}
            {error !== undefined && <Plain>{error}</Plain>}
          </td>
          <td className="num">{`${figure(latency_ms)} ms`}</td>
        </tr>
      ))}
    </Table>
  );
}

const LOOKS = { new: "", approved: "good", changed: "warn", withdrawn: "bad", unusable: "bad" } as const;
const STATES = {
  new: t("not approved"),
  approved: t("approved"),
  changed: t("changed"),
  withdrawn: t("withdrawn"),
  unusable: t("unusable"),
} as const;

function Skill({
  server,
  skill: { uri, name, description, digest, bytes: size, resources, state, problem, skill_id: id },
}: {
  server: string;
  skill: ServerSkill;
}): ReactNode {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (reviewed: string) =>
      call("mcpServers.approveSkill", { path: { name: server }, body: { uri, digest: reviewed } }),
    onSuccess: () => toast(t("Skill published for everybody.")),
    // A skill that has changed since it was listed must be reviewed again.
    onSettled: () => client.invalidateQueries({ queryKey: ["server-skills", server] }),
  });
  return (
    <li className="row">
      <div className="long">
        {id === null ? (
          <strong>
            <Plain>{name}</Plain>
          </strong>
        ) : (
          <Link to="/skills/$id" params={{ id }}>
            <Plain>{name}</Plain>
          </Link>
        )}{" "}
        <span className={`tag ${LOOKS[state]}`}>{STATES[state]}</span>
        <p>
          <Plain>{description}</Plain>
        </p>
        <p className="soft">
          <Plain>{uri}</Plain>
        </p>
        {problem !== null && (
          <p>
            <Plain>{problem}</Plain>
          </p>
        )}
        {digest !== null && (
          <details>
            <summary>{t("Files: {count} ({size})", { count: resources.length, size: bytes(size) })}</summary>
            <p className="soft">
              <code>{digest}</code>
            </p>
            <ul>
              {resources.map((file) => (
                <li key={file.path}>
                  <Plain>{file.path}</Plain> · {bytes(file.bytes)}
                  <div className="soft">
                    <code>{file.digest}</code>
                  </div>
                </li>
              ))}
            </ul>
          </details>
        )}
        {error !== null && <Trouble error={error} />}
      </div>
      {digest !== null && (state === "new" || state === "changed") && (
        <Button
          isDisabled={isPending}
          aria-label={t("Approve {name}", { name: visible(name) })}
          onPress={() => mutate(digest)}
        >
          {t("Approve")}
        </Button>
      )}
    </li>
  );
}
