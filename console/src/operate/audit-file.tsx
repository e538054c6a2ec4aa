// Exports the audit log as a file, with the filters of the page.

import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AuditRecord } from "../../../sdk/src/generated/operations";
import { Button } from "../parts/controls";
import { csvAddress } from "../parts/csv";
import { Trouble } from "../parts/state";
import { figure } from "../parts/text";
import { t } from "../text/text";
import { type AuditFilters, recordsOf } from "./audit-records";

/** The number of records in one file. Filter by days for more. */
const MOST = 1_000;
const HEADS = ["at", "actor", "user_id", "action", "resource_type", "resource_id", "request_id", "before", "after"];

export function AuditFile({ filters }: { filters: AuditFilters }): ReactNode {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => newest(filters) });
  return (
    <div className="row">
      <Button isDisabled={isPending} onPress={() => mutate()}>
        {isPending ? t("Exporting…") : t("Export CSV")}
      </Button>
      {data !== undefined && (
        <a download="audit.csv" href={csvAddress([HEADS, ...data.map(lineOf)])}>
          {t("Download {count} records", { count: figure(data.length) })}
        </a>
      )}
      {data?.length === MOST && (
        <span className="soft">
          {t("The file has the newest {limit} records. Filter by day to export others.", { limit: figure(MOST) })}
        </span>
      )}
      {error !== null && <Trouble error={error} />}
    </div>
  );
}

async function newest(filters: AuditFilters): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < MOST; ) {
    const { items, next }: Awaited<ReturnType<typeof recordsOf>> = await recordsOf(filters, cursor, undefined, 100);
    found.push(...items);
    cursor = next;
  }
  return found.slice(0, MOST);
}

const lineOf = (record: AuditRecord): string[] => [
  record.at,
  record.actor,
  record.user_id ?? "",
  record.action,
  record.resource_type,
  record.resource_id,
  record.request_id,
  record.before === null ? "" : JSON.stringify(record.before),
  record.after === null ? "" : JSON.stringify(record.after),
];
