// Shows the audit log: each change and its author, newest first.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import { Button, Field } from "../parts/controls";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, When } from "../parts/text";
import { SYSTEM_TABS } from "../shell/places";
import { t } from "../text/text";
import { AuditFile } from "./audit-file";
import { type AuditFilters, recordsOf } from "./audit-records";

const route = getRouteApi("/audit");

export function Audit(): ReactNode {
  const { cursor, ...filters } = route.useSearch();
  const answer = useQuery({
    queryKey: ["audit", filters, cursor],
    queryFn: ({ signal }) => recordsOf(filters, cursor, signal),
  });
  return (
    <Page title={t("System")} lead={t("Every change and who made it, newest first.")} tabs={SYSTEM_TABS}>
      <Filters key={JSON.stringify(filters)} />
      <Answer of={answer} what={t("the records")}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon={ScrollText} title={t("No matching records")} />
          ) : (
            <>
              <Table name={t("Audit records")} heads={[t("Time"), t("User"), t("Action"), t("Resource"), t("Details")]}>
                {items.map(
                  ({
                    seq,
                    at,
                    actor: who,
                    user_id,
                    action: did,
                    resource_type,
                    resource_id,
                    before,
                    after,
                    request_id,
                  }) => (
                    <tr key={seq}>
                      <td>
                        <When at={at} />
                      </td>
                      <td>{user_id === null ? <Erased pseudonym={who} /> : <Plain>{user_id}</Plain>}</td>
                      <td>{did}</td>
                      <td className="long">
                        {resource_type}
                        <div className="soft">
                          <Plain>{resource_id}</Plain>
                        </div>
                      </td>
                      <td>
                        <details>
                          <summary>{t("Show")}</summary>
                          <pre>
                            <Plain>{JSON.stringify({ before, after, request_id }, null, 2)}</Plain>
                          </pre>
                        </details>
                      </td>
                    </tr>
                  ),
                )}
              </Table>
              <Pages cursor={cursor} next={next} older={t("Older records")} />
              <AuditFile filters={filters} />
            </>
          )
        }
      </Answer>
    </Page>
  );
}

/** A user who was erased. The log keeps a pseudonym, which the filter accepts. */
function Erased({ pseudonym }: { pseudonym: string }): ReactNode {
  return (
    <>
      {t("erased user")}
      <div className="soft">
        <Plain>{pseudonym}</Plain>
      </div>
    </>
  );
}

/** The filter fields, by their names in the address. */
const FIELDS = [
  ["actor", t("User"), ""],
  ["action", t("Action"), "skill.publish"],
  ["type", t("Resource type"), "skill"],
  ["id", t("Resource id"), ""],
] as const;

function Filters(): ReactNode {
  const { cursor: _, ...given } = route.useSearch();
  const [words, setWords] = useState<AuditFilters>(given);
  const navigate = useNavigate({ from: "/audit" });
  const set = (field: keyof AuditFilters) => (value: string) => setWords({ ...words, [field]: value });
  return (
    <Form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        const said = Object.entries(words).flatMap(([field, value]) =>
          value === undefined || value.trim() === "" ? [] : [[field, value.trim()]],
        );
        void navigate({ search: Object.fromEntries(said) });
      }}
    >
      {FIELDS.map(([field, label, placeholder]) => (
        <Field
          key={field}
          label={label}
          value={words[field] ?? ""}
          onChange={set(field)}
          {...(placeholder === "" ? {} : { placeholder })}
        />
      ))}
      <Field label={t("From (UTC)")} type="date" value={words.since ?? ""} onChange={set("since")} />
      <Field label={t("Before (UTC)")} type="date" value={words.until ?? ""} onChange={set("until")} />
      <Button type="submit">{t("Filter")}</Button>
    </Form>
  );
}
