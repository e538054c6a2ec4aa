// Lists the files that scripts have left in a conversation. A download is saved as a file and never opened as a page.

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeptFile } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Picture } from "../library/files";
import { Button } from "../parts/controls";
import { Answer, Trouble } from "../parts/state";
import { bytes, Plain, visible, When } from "../parts/text";
import { t } from "../text/text";

const ROWS = 50;
/** Larger images are only offered as downloads. */
const SHOWN = 1024 * 1024;
const PICTURES: Readonly<Record<string, string>> = {
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

export function Files({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["conversation", id, "files"],
    queryFn: ({ signal }) => slice("files.list", { path: { id }, query: { limit: ROWS } }, signal),
  });
  return (
    <Answer of={answer} what={t("the files")}>
      {({ items, next }) =>
        items.length === 0 ? (
          <p className="soft">{t("No files.")}</p>
        ) : (
          <>
            <ul className="plain-list">
              {items.map((file) => (
                <li key={file.id}>
                  <Kept id={id} file={file} />
                </li>
              ))}
            </ul>
            {next !== null && <p className="soft">{t("Older files are listed by the API.")}</p>}
          </>
        )
      }
    </Answer>
  );
}

function Kept({ id, file }: { id: string; file: KeptFile }): ReactNode {
  const { path, size, created_at } = file;
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => save(await contentOf(id, file), path.split("/").at(-1) ?? path),
  });
  return (
    <>
      <code>
        <Plain>{path}</Plain>
      </code>{" "}
      <span className="soft">
        {bytes(size)}, <When at={created_at} />
      </span>{" "}
      <Button
        isDisabled={isPending}
        aria-label={t("Download {path}", { path: visible(path) })}
        onPress={() => mutate()}
      >
        {t("Download")}
      </Button>
      {error !== null && <Trouble error={error} />}
      {pictureType(path) !== undefined && size <= SHOWN && <Shown id={id} file={file} />}
    </>
  );
}

function Shown({ id, file }: { id: string; file: KeptFile }): ReactNode {
  const { data } = useQuery({
    queryKey: ["file", id, file.id],
    queryFn: ({ signal }) => contentOf(id, file, signal),
    // Files of scripts do not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === undefined ? null : <Picture blob={data} alt={file.path} />;
}

const pictureType = (path: string) => PICTURES[path.split(".").at(-1)?.toLowerCase() ?? ""];

/** The gateway does not send markup under its own type. An `<img>` executes none, so an image type can be set here. */
async function contentOf(id: string, { id: file_id, path }: KeptFile, signal?: AbortSignal): Promise<Blob> {
  const answer: Response = await call("files.get", { path: { id, file_id } }, signal);
  return new Blob([await answer.arrayBuffer()], { type: pictureType(path) ?? "application/octet-stream" });
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
