// Shows the gateway's report about a package before it is published.

import type { ReactNode } from "react";
import type { Inspection } from "../../../sdk/src/generated/operations";
import { Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, figure, Plain } from "../parts/text";

export function Report({ report }: { report: Inspection }): ReactNode {
  const { valid, name, issues, warnings, files, tokens, scripts, routing } = report;
  return (
    <section aria-label="Report">
      <div className={`note ${valid ? "good" : "bad"}`} role="status">
        <p>
          <strong>{valid ? "Ready to publish." : `Cannot be published: ${count(issues.length, "problem")}.`}</strong>
          {name !== null && (
            <>
              {" "}
              Name: <Plain>{name}</Plain>.
            </>
          )}
          {tokens !== null && ` Tokens: ${figure(tokens.line)} listed, ${figure(tokens.instructions)} loaded.`}
        </p>
        <Issues issues={issues} />
      </div>
      {warnings.length > 0 && (
        <div className="note warn">
          <p>
            <strong>{count(warnings.length, "warning")}</strong>
          </p>
          <Issues issues={warnings} />
        </div>
      )}
      {scripts !== null && scripts.length > 0 && (
        <Table name="Scripts" heads={["Script", "Runs", "Reason"]}>
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
        <Table name="Search rank" heads={["Example prompt", "Rank", "Skills ahead"]}>
          {routing.prompts.map(({ prompt, rank, ahead }) => (
            <tr key={prompt}>
              <td>
                <Plain>{prompt}</Plain>
              </td>
              <td>{rank ?? "below 20"}</td>
              <td>
                <Plain>{ahead.join(", ")}</Plain>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {files.length > 0 && (
        <details>
          <summary>{count(files.length, "file")}</summary>
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
          {files.length > 100 && <p className="soft">and {files.length - 100} more</p>}
        </details>
      )}
    </section>
  );
}

const count = (number: number, what: string) => `${figure(number)} ${what}${number === 1 ? "" : "s"}`;
