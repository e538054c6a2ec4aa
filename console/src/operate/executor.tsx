// Shows what the executor has installed for skills.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain, When } from "../parts/text";
import { t } from "../text/text";

/** For operators of a gateway with an executor. */
export function ExecutorCard(): ReactNode {
  const answer = useQuery({ queryKey: ["executor"], queryFn: ({ signal }) => call("executor.get", {}, signal) });
  return (
    <Card title={t("Executor for scripts")}>
      <Answer of={answer} what={t("the executor")}>
        {({ name, problem, install, packages, layers }) => (
          <>
            <Facts
              of={[
                [t("Name"), <Plain key="name">{name ?? "–"}</Plain>],
                ...(problem === null ? [] : [[t("Problem"), <Plain key="problem">{problem}</Plain>] as const]),
                [t("Python packages"), figure(Object.keys(packages).length)],
                [t("Installs packages"), install ?? "–"],
              ]}
            />
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
        )}
      </Answer>
    </Card>
  );
}
