// Contains the queries for versions of a skill that several views use.

import { queryOptions, useQuery } from "@tanstack/react-query";
import type { SkillFile, SkillVersion } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { t } from "../text/text";

/** The number of versions that are shown at once. */
const ROWS = 50;

/** Query for one page of versions, newest first. */
export const versionsOf = (id: string, cursor?: string) =>
  queryOptions({
    queryKey: ["skill", id, "versions", cursor],
    queryFn: ({ signal }) =>
      slice(
        "versions.list",
        { path: { id }, query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
  });

/** Returns the newest versions for a selection. A version named in the URL can be older and is still shown. */
export function useVersions(id: string) {
  return useQuery(versionsOf(id));
}

/** Returns the name of a version: its label, otherwise its number. */
export const nameOf = ({ number, version, is_current }: SkillVersion): string =>
  is_current ? t("{version} (current)", { version: version ?? `#${number}` }) : (version ?? `#${number}`);

export const filesOf = (id: string, version_id: string) =>
  queryOptions({
    queryKey: ["skill", id, "files", version_id],
    // The content of a version never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }): Promise<SkillFile[]> => call("versions.files", { path: { id, version_id } }, signal),
  });

/** The content of a file in a form that a page can show. */
export type Content = { kind: "text"; text: string } | { kind: "picture" | "other"; blob: Blob };

const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};
/** Larger files are offered as downloads. */
const SHOWN_BYTES = 512 * 1024;

/** The `Blob` of a picture has the type of its file name. An `<img>` executes nothing, whatever the content. */
export const contentOf = (id: string, version_id: string, path: string) =>
  queryOptions({
    queryKey: ["skill", id, "file", version_id, path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Content> => {
      const answer = await call("versions.file", { path: { id, version_id, path } }, signal);
      const buffer = await answer.arrayBuffer();
      const picture = PICTURES[path.split(".").at(-1)?.toLowerCase() ?? ""];
      if (picture !== undefined) return { kind: "picture", blob: new Blob([buffer], { type: picture }) };
      const text = buffer.byteLength > SHOWN_BYTES ? null : textIn(buffer);
      if (text !== null) return { kind: "text", text };
      return { kind: "other", blob: new Blob([buffer], { type: "application/octet-stream" }) };
    },
  });

/** Returns the bytes as text, or `null` if they are not text. */
export function textIn(buffer: ArrayBuffer | Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
