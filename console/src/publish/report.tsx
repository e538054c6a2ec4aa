// Shows the gateway's report about a package before it is published.

import type { ReactNode } from "react";
import type { Inspection } from "../../../sdk/src/generated/operations";
import { Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain } from "../parts/text";
import { rich, t } from "../text/text";

export function Report({ report }: { report: Inspection }): ReactNode {
  const { valid, name, issues, warnings, files, tokens, scripts, routing } = report;
  return (
    <section aria-label={t("Report")}>
      <div className={`note ${valid ? "good" : "bad"}`} role="status">
        <p>
          <strong>
            {valid
              ? t("Ready to publish.")
              : t(
                  issues.length === 1
                    ? "Cannot be published: {count} problem."
                    : "Cannot be published: {count} problems.",
                  { count: figure(issues.length) },
                )}
          </strong>
          {name !== null && <> {rich("Name: {name}.", { name: <Plain>{name}</Plain> })}</>}
          {tokens !== null &&
            ` ${t("Tokens: {line} listed, {instructions} loaded.", { line: figure(tokens.line), instructions: figure(tokens.instructions) })}`}
        </p>
        <Issues issues={issues} />
      </div>
      {warnings.length > 0 && (
        <div className="note warn">
          <p>
            <strong>
              {t(warnings.length === 1 ? "{count} warning" : "{count} warnings", { count: figure(warnings.length) })}
            </strong>
          </p>
          <Issues issues={warnings} />
        </div>
      )}
      {scripts !== null && scripts.length > 0 && (
        <Table name={t("Scripts")} heads={[t("Script"), t("Runs"), t("Reason")]}>
          {scripts.map(({ path, runs, reason = "", line }) => (
            <tr key={path}>
              <td>
                <code>
                  <Plain>{line === undefined ? path : `${path}:${line}`}</Plain>
                </code>
              </td>
              <td>{runs}</td>
              <td>
                <Plain>{reason}</Plain>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {routing !== null && (
        <Table name={t("Search rank")} heads={[t("Example prompt"), t("Rank"), t("Skills ahead")]}>
          {routing.prompts.map(({ prompt, rank, ahead }) => (
            <tr key={prompt}>
              <td>
                <Plain>{prompt}</Plain>
              </td>
              <td>{rank ?? t("below 20")}</td>
              <td>
                <Plain>{ahead.join(", ")}</Plain>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {files.length > 0 && (
        <details>
          <summary>{t(files.length === 1 ? "{count} file" : "{count} files", { count: figure(files.length) })}</summary>
          <ul>
            {files.slice(0, 100).map(({ path, size }) => (
              <li key={path}>
                <code>
                  <Plain>{path}</Plain>
                </code>{" "}
                <span className="soft">{bytes(size)}</span>
              </li>
            ))}
          </ul>
          {files.length > 100 && <p className="soft">{t("and {count} more", { count: files.length - 100 })}</p>}
        </details>
      )}
    </section>
  );
}
