// Shows whether the gateway has signed a version: the key, and a link to the signed statement.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { Later } from "../parts/state";
import { Plain } from "../parts/text";
import { t } from "../text/text";

export function Signature({ id, version }: { id: string; version: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "attestation", version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      try {
        return await call("versions.attestation", { path: { id, version_id: version } }, signal);
      } catch (error) {
        // A gateway without a signing key.
        if (error instanceof Refusal && error.code === "VERSION_NOT_SIGNED") return null;
        throw error;
      }
    },
  });
  return (
    <Later of={answer}>
      {(envelope) =>
        envelope === null
          ? t("no")
          : envelope.signatures.map(({ keyid }) => (
              <span key={keyid}>
                {t("key")}{" "}
                <code title={keyid}>
                  <Plain>{`${keyid.slice(0, 12)}…`}</Plain>
                </code>{" "}
                <a
                  download={`${version}.intoto.json`}
                  href={`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(envelope, null, 2))}`}
                >
                  {t("Statement")}
                </a>
              </span>
            ))
      }
    </Later>
  );
}
