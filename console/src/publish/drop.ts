// Passes a dropped or selected package to the page that checks it.

import { useRouter } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Dropped, Package } from "./packing";

let held: Package | null = null;
const listeners = new Set<() => void>();

/** Returns the package that waits for its report. */
export function useHeld(): Package | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => held,
  );
}

export function hold(next: Package | null): void {
  held = next;
  for (const listener of listeners) listener();
}

/** Packs the files into a ZIP unless they are one, and stores it. The ZIP library is loaded only then. */
export async function take(files: readonly Dropped[]): Promise<void> {
  const { packed } = await import("./packing");
  hold(await packed(files));
}

/** Accepts files dropped anywhere on the page and opens their report. */
export function useDrop(): { isOver: boolean; error: Error | null } {
  const router = useRouter();
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    const on = (type: "dragover" | "dragleave" | "drop", listener: (event: DragEvent) => void) =>
      addEventListener(type, listener, { signal: ended.signal });
    on("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", ({ relatedTarget }) => relatedTarget === null && setOver(false));
    on("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      setError(null);
      filesIn(event.dataTransfer)
        .then(take)
        .then(() => router.navigate({ to: "/publish" }))
        .catch((reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))));
    });
    return () => ended.abort();
  }, [router]);
  return { isOver, error };
}

/** Returns every file of a drop. The entries are available only during the event, so they are read before the first `await`. */
function filesIn({ items }: DataTransfer): Promise<Dropped[]> {
  const lists = [...items].map(async (item): Promise<Dropped[]> => {
    const entry = item.webkitGetAsEntry();
    if (entry !== null) return filesOf(entry, "");
    const file = item.getAsFile();
    return file === null ? [] : [{ path: file.name, file }];
  });
  return Promise.all(lists).then((found) => found.flat());
}

async function filesOf(entry: FileSystemEntry, above: string): Promise<Dropped[]> {
  const path = above + entry.name;
  if (isFile(entry)) {
    const file = await new Promise<File>((found, failed) => entry.file(found, failed));
    return [{ path, file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const files: Dropped[] = [];
  // A reader returns the entries in parts, and an empty list at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed));
    if (part.length === 0) return files;
    for (const child of part) files.push(...(await filesOf(child, `${path}/`)));
  }
}

// Checked by their flags, because Chromium does not expose their classes.
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
