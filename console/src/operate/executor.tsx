// Shows the state of the executor, its packages, and those that it has installed for skills.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Executor } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain, When } from "../parts/text";
import { t } from "../text/text";

/** For operators. */
export function ExecutorCard(): ReactNode {
  const answer = useQuery({ queryKey: ["executor"], queryFn: ({ signal }) => call("executor.get", {}, signal) });
  return (
    <Card title={t("Executor for scripts")}>
      <Answer of={answer} what={t("the executor")}>
        {(executor) => (executor.state === "ok" ? <Contents of={executor} /> : <Missing of={executor} />)}
      </Answer>
    </Card>
  );
}

function Missing({ of: { problem } }: { of: Executor }): ReactNode {
  return (
    <p>
      {problem === null ? (
        t("Not set up. Scripts that need packages or programs do not run.")
      ) : (
        <Plain>{problem}</Plain>
      )}
    </p>
  );
}

function Contents({ of: { name, install, packages, layers } }: { of: Executor }): ReactNode {
  const names = Object.entries(packages).sort(([one], [other]) => one.localeCompare(other));
  return (
    <>
      <Facts
        of={[
          [t("Name"), <Plain key="name">{name ?? "–"}</Plain>],
          [t("Python packages"), figure(names.length)],
          [t("Installs packages"), <Plain key="install">{install ?? "–"}</Plain>],
        ]}
      />
      {names.length > 0 && (
        <details>
          <summary>{t("List of Python packages")}</summary>
          <p>
            <Plain>{names.map(([name, version]) => `${name} ${version}`).join(", ")}</Plain>
          </p>
        </details>
      )}
      {layers.length > 0 && (
        <Table name={t("Installed packages")} heads={[t("Requirements"), { num: t("Size") }, t("Last used")]}>
          {layers.map(({ id, requirements, bytes: size, used_at }) => (
            <tr key={id}>
              <th scope="row">
                <Plain>{requirements.join(", ")}</Plain>
              </th>
              <td className="num">{bytes(size)}</td>
              <td>
                <When at={used_at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
