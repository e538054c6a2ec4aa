// Renders the instructions as Markdown. Links to files of the package open in this page.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import Prose from "../parts/prose";
import { t } from "../text/text";
import { Picture } from "./files";
import { contentOf } from "./versions-of";

const route = getRouteApi("/skills/$id");

export default function Instructions({ skill }: { skill: Skill }): ReactNode {
  const { prompt } = skill.spec;
  if (prompt.trim() === "") return <p className="soft">{t("This skill has no instructions.")}</p>;
  return (
    <Prose
      text={prompt}
      link={linkInside}
      picture={(src, alt) => <PictureOf version={skill.status.version_id} src={src} alt={alt} />}
    />
  );
}

/** Renders a link to a file of the package. */
function linkInside(to: string, children: ReactNode): ReactNode | null {
  const file = pathIn(to);
  if (file === null) return null;
  return (
    <Link from="/skills/$id" to="/skills/$id" search={{ view: "files", file }}>
      {children}
    </Link>
  );
}

function PictureOf({ version, src, alt }: { version: string; src: string; alt: string }): ReactNode {
  const { id } = route.useParams();
  const path = pathIn(src);
  const { data } = useQuery({ ...contentOf(id, version, path ?? ""), enabled: path !== null });
  return data?.kind === "picture" ? (
    <Picture blob={data.blob} alt={alt} />
  ) : (
    <em>{t("[picture: {name}]", { name: alt || src })}</em>
  );
}

/** Returns the path of a file of the package, or `null` for other addresses. */
function pathIn(address: string): string | null {
  if (address === "" || /^(?:[a-z][a-z\d+.-]*:|[/\\#?])/i.test(address)) return null;
  // The URL parser resolves `.` and `..`, and no path can leave its root.
  const { pathname } = new URL(address, "https://package.example/");
  try {
    return decodeURIComponent(pathname).slice(1) || null;
  } catch {
    return null;
  }
}
