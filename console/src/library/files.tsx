// Shows the files of a version as text, or as images that cannot run scripts.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import { Answer } from "../parts/state";
import { bytes, Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { VersionChoice } from "./version-choice";
import { type Content, contentOf, filesOf } from "./versions-of";

const route = getRouteApi("/skills/$id");
/** The number of files that are shown at once. */
const SHOWN = 100;

export function Files({ skill }: { skill: Skill }): ReactNode {
  const { id } = route.useParams();
  const { version = skill.status.version_id, file } = route.useSearch();
  const navigate = useNavigate({ from: "/skills/$id" });
  const [before, setBefore] = useState(0);
  const answer = useQuery(filesOf(id, version));
  return (
    <>
      <VersionChoice
        id={id}
        label={t("Version")}
        value={version}
        onChange={(chosen) => void navigate({ search: (words) => ({ ...words, version: chosen }) })}
      />
      <Answer of={answer} what={t("the files")}>
        {(files) => (
          <div className="beside">
            <nav aria-label={t("Files")}>
              <ul className="plain-list">
                {files.slice(before, before + SHOWN).map(({ path, size }) => (
                  <li key={path}>
                    <Link
                      from="/skills/$id"
                      to="/skills/$id"
                      search={(words) => ({ ...words, file: path })}
                      activeProps={{}}
                      {...(path === file ? { "aria-current": "true" as const } : {})}
                    >
                      <Plain>{path}</Plain>
                    </Link>{" "}
                    <span className="soft">{bytes(size)}</span>
                  </li>
                ))}
              </ul>
              {files.length > before + SHOWN && (
                <button type="button" className="button plain" onClick={() => setBefore(before + SHOWN)}>
                  {t("Next files")}
                </button>
              )}
              {before > 0 && (
                <button type="button" className="button plain" onClick={() => setBefore(before - SHOWN)}>
                  {t("Previous files")}
                </button>
              )}
            </nav>
            {file === undefined ? (
              <p className="soft">{t("Select a file.")}</p>
            ) : (
              <FileContent key={`${version} ${file}`} version={version} path={file} />
            )}
          </div>
        )}
      </Answer>
    </>
  );
}

function FileContent({ version, path }: { version: string; path: string }): ReactNode {
  const { id } = route.useParams();
  const answer = useQuery(contentOf(id, version, path));
  return (
    <section aria-label={t("Content")}>
      <h2>
        <Plain>{path}</Plain>
      </h2>
      <Answer of={answer} what={t("the file")}>
        {(content) => <Shown path={path} content={content} />}
      </Answer>
    </section>
  );
}

function Shown({ path, content }: { path: string; content: Content }): ReactNode {
  if (content.kind === "text")
    return (
      // Focusable, so that the arrow keys reach what does not fit.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
      <pre tabIndex={0}>
        <code>{visible(content.text)}</code>
      </pre>
    );
  if (content.kind === "picture") return <Picture blob={content.blob} alt={path} />;
  return (
    <p>
      {t("This file is binary or too long to show.")}{" "}
      <Download blob={content.blob} name={path.split("/").at(-1) ?? path} />
    </p>
  );
}

/** Shows a file of the package in an `<img>` from memory. */
export function Picture({ blob, alt }: { blob: Blob; alt: string }): ReactNode {
  const url = useAddress(blob);
  return url === null ? null : <img className="picture" src={url} alt={visible(alt)} />;
}

function Download({ blob, name }: { blob: Blob; name: string }): ReactNode {
  const url = useAddress(blob);
  return url === null ? null : (
    <a href={url} download={name}>
      {t("Download ({size})", { size: bytes(blob.size) })}
    </a>
  );
}

/** Returns an object URL for a blob and revokes it when the component no longer shows it. */
function useAddress(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
