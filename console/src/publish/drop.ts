// A package that somebody has dropped or chosen, on its way to the page that looks at it.

import { useRouter } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Dropped, Package } from "./packing";

let held: Package | null = null;
const listeners = new Set<() => void>();

/** The package that waits to be looked at. */
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

/** Makes a ZIP of it where it is none, and holds it. What makes ZIPs is loaded only then. */
export async function take(files: readonly Dropped[]): Promise<void> {
  const { packed } = await import("./packing");
  hold(await packed(files));
}

/** Takes what is dropped anywhere on the page, and leads to its report. */
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

/** Every file of a drop. What is in it is there only while the event lasts, so it is taken before anything waits. */
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
  // A reader gives a part at a time, and nothing at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed));
    if (part.length === 0) return files;
    for (const child of part) files.push(...(await filesOf(child, `${path}/`)));
  }
}

// By what they say of themselves: Chromium has no names for their classes.
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
