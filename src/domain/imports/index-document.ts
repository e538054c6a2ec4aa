// Converts a website's index of skills to a plan. Version 0.2 has an artifact and its digest per skill, version 0.1 lists of files.

import * as z from "zod";
import { INDEX_SCHEMA } from "../compat/well-known";
import { checkName } from "../package/name";
import { checkPath, foldName, printable } from "../package/path";
import type { ImportProblem } from "./import";
import { IMPORT_LIMITS } from "./limits";
import type { Planned } from "./plan";

/** The skills of an index, or the problem. */
export type IndexReading = { planned: Planned[]; problem?: never } | { problem: ImportProblem; planned?: never };

const indexSchema = z.lazy(() =>
  z.looseObject({ $schema: z.string().optional(), skills: z.array(z.unknown()).max(IMPORT_LIMITS.skills) }),
);
const artifactSchema = z.lazy(() =>
  z.looseObject({ name: z.string(), type: z.string(), url: z.string().max(4_096), digest: z.string().regex(DIGEST) }),
);
const listedSchema = z.lazy(() =>
  z.looseObject({ name: z.string(), files: z.array(z.string()).min(1).max(IMPORT_LIMITS.listedFiles) }),
);
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** @param at the URL of the index; everything it names must have the same origin */
export function readIndexDocument(text: string, at: URL): IndexReading {
  const document = indexSchema.safeParse(parsed(text));
  if (!document.success) {
    const isMany = document.error.issues.some(({ code }) => code === "too_big");
    return isMany
      ? refused(
          "SOURCE_TOO_LARGE",
          `Too many skills in the index (limit ${IMPORT_LIMITS.skills}). Import a part of it.`,
        )
      : refused("SOURCE_INVALID", "The source did not return an index of skills. Check the URL.");
  }
  const { $schema: version, skills } = document.data;
  if (version !== undefined && version !== INDEX_SCHEMA)
    return refused("SOURCE_UNKNOWN", "The version of the index is not supported. Ask the source for a current one.");
  const seen = new Set<string>();
  const planned = skills.map((entry, index) => {
    const found = version === undefined ? listed(entry, at) : artifact(entry, at);
    const named =
      found ??
      unplannableReason(
        nameIn(entry) ?? `#${index + 1}`,
        "INDEX_ENTRY",
        "The index entry of the skill is not valid. Ask the source to fix it.",
      );
    return withoutDuplicates(seen, named);
  });
  return { planned };
}

/** Returns the plan, or an error for a name that occurs a second time. */
export function withoutDuplicates(seen: Set<string>, planned: Planned): Planned {
  const folded = foldName(planned.name);
  if (!seen.has(folded)) {
    seen.add(folded);
    return planned;
  }
  const name = `${planned.name}#${seen.size + 1}`;
  seen.add(name);
  return unplannableReason(name, "NAME_TWICE", "The source has two skills with this name. The first one is used.");
}

export function unplannableReason(name: string, code: string, message: string): Planned {
  const shown = printable(name).slice(0, NAME_CHARS);
  return { name: shown, digest: null, get: { how: "none", problem: { code, message } } };
}

const NAME_CHARS = 128;

function artifact(entry: unknown, at: URL): Planned | null {
  const read = artifactSchema.safeParse(entry);
  if (!read.success) return null;
  const { name, type, digest } = read.data;
  const [bad] = checkName(name, "index").issues;
  if (bad !== undefined) return unplannableReason(name, bad.code, bad.message);
  if (type !== "archive" && type !== "skill-md")
    return unplannableReason(
      name,
      "INDEX_TYPE",
      "The type of the index entry is not supported. Supported types: `archive` and `skill-md`.",
    );
  const url = URL.parse(read.data.url, at.href);
  if (url === null || url.origin !== at.origin)
    return unplannableReason(
      name,
      "SOURCE_OTHER_HOST",
      "The index entry points to another host than the index. Other hosts are not contacted.",
    );
  const get = { how: "artifact", url: url.href, isMarkdown: type === "skill-md" } as const;
  return { name: name.normalize("NFC"), digest, get };
}

function listed(entry: unknown, at: URL): Planned | null {
  const read = listedSchema.safeParse(entry);
  if (!read.success) return null;
  const { name, files } = read.data;
  const [bad] = [...checkName(name, "index").issues, ...files.flatMap((path) => checkPath(path).issues)];
  if (bad !== undefined) return unplannableReason(name, bad.code, bad.message);
  const base = new URL(`${encodeURIComponent(name)}/`, at).href;
  return { name: name.normalize("NFC"), digest: null, get: { how: "files", base, paths: [...new Set(files)] } };
}

function nameIn(entry: unknown): string | null {
  const named = z.looseObject({ name: z.string().min(1) }).safeParse(entry);
  return named.success ? named.data.name : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refused(code: string, message: string): IndexReading {
  return { problem: { code, message } };
}
