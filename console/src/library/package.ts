// A package that is edited in the browser: its files, the changes, and the ZIP for the gateway.

import { strToU8, unzipSync, zipSync } from "fflate";
import { textIn } from "./versions-of";

/** The files by their path in the package. `null`: not text, which cannot be edited. */
export type Files = ReadonlyMap<string, { bytes: Uint8Array; text: string | null }>;

export interface Package {
  /** The folder in the ZIP, with a slash, or empty. */
  folder: string;
  files: Files;
}

export const MANIFEST = "SKILL.md";

export function unpacked(zip: ArrayBuffer): Package {
  const entries = Object.entries(unzipSync(new Uint8Array(zip))).filter(([path]) => !path.endsWith("/"));
  const manifest = entries.map(([path]) => path).find((path) => path === MANIFEST || path.endsWith(`/${MANIFEST}`));
  const folder = manifest?.slice(0, -MANIFEST.length) ?? "";
  return {
    folder,
    files: new Map(
      entries
        .map(([path, bytes]) => [path.startsWith(folder) ? path.slice(folder.length) : path, fileOf(bytes)] as const)
        .sort(([a], [b]) => Number(b === MANIFEST) - Number(a === MANIFEST) || a.localeCompare(b)),
    ),
  };
}

const fileOf = (bytes: Uint8Array) => ({ bytes, text: textIn(bytes) });

export const textFile = (text: string) => ({ bytes: strToU8(text), text });

export function zipOf({ folder, files }: Package, name: string): File {
  const entries = [...files].map(([path, { bytes }]) => [folder + path, bytes] as const);
  const zip = zipSync(Object.fromEntries(entries)) as Uint8Array<ArrayBuffer>;
  return new File([zip], `${name}.zip`, { type: "application/zip" });
}

/** Returns the paths that differ, in the order of the files. */
export function changedPaths(before: Files, after: Files): string[] {
  return [...new Set([...after.keys(), ...before.keys()])].filter((path) => {
    const [was, is] = [before.get(path)?.bytes, after.get(path)?.bytes];
    return was?.length !== is?.length || was?.some((byte, n) => byte !== is?.[n]) === true;
  });
}

const VERSION = /^(---\r?\n(?:(?!---).*\r?\n)*?version:[ \t]*)(["']?)([^\r\n"'#]*?)\2([ \t]*(?:#.*)?)$/m;

/** Returns the version in the frontmatter of a manifest, or `null`. */
export const versionIn = (manifest: string): string | null => VERSION.exec(manifest)?.[3]?.trim() || null;

/** Returns the manifest with another version. A manifest without one stays without. */
export const withVersion = (manifest: string, version: string): string =>
  manifest.replace(
    VERSION,
    (_, head: string, quote: string, __, tail: string) => head + quote + version + quote + tail,
  );

/** Returns the version with its last number increased: `1.0.9` becomes `1.0.10`. */
export const nextVersion = (version: string): string =>
  /\d+(?=\D*$)/.test(version) ? version.replace(/\d+(?=\D*$)/, (digits) => `${Number(digits) + 1}`) : `${version}.1`;
