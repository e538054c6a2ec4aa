// Packs a folder as a ZIP for the gateway.

import { zipSync } from "fflate";
import { bytes } from "../parts/text";
import { t } from "../text/text";

/** A dropped file with its path relative to the drop. */
export interface Dropped {
  path: string;
  file: File;
}

/** The package to publish: one ZIP for the gateway. */
export interface Package {
  name: string;
  zip: File;
}

/** The gateway's limits on a package, unpacked and packed (docs/limits.md). Larger packages are refused here before they are read. */
const UNPACKED = 16 * 1024 * 1024;
const PACKED = 17 * 1024 * 1024;
const FILES = 2_000;
/** Folders of tools that do not belong to a package and would make it too large. The gateway leaves them out as well. */
const TOOLS = /(?:^|\/)(?:\.git|node_modules|__pycache__)\//;

/** Returns a single ZIP unchanged, and packs anything else as a ZIP. */
export async function packed(dropped: readonly Dropped[]): Promise<Package> {
  const [only] = dropped;
  if (only !== undefined && dropped.length === 1 && /\.(?:zip|skill)$/i.test(only.file.name)) {
    refuse(
      only.file.size > PACKED,
      t("ZIP too large ({size}, limit {limit}).", { size: bytes(only.file.size), limit: bytes(PACKED) }),
    );
    return { name: only.file.name, zip: only.file };
  }
  const files = dropped.filter(({ path }) => !TOOLS.test(path));
  refuse(files.length === 0, t("The folder has no files. Choose a folder with a SKILL.md, or a ZIP of it."));
  refuse(
    files.length > FILES,
    t("Too many files ({count}, limit {limit}). Choose the folder of one skill.", {
      count: files.length,
      limit: FILES,
    }),
  );
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  refuse(
    size > UNPACKED,
    t("Package too large ({size}, limit {limit}). Choose the folder of one skill.", {
      size: bytes(size),
      limit: bytes(UNPACKED),
    }),
  );
  const contents = await Promise.all(
    files.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const),
  );
  const folder = files[0]?.path.split("/", 1)[0] ?? "skill";
  const name = files.length === 1 ? "skill" : folder;
  return {
    name,
    zip: new File([zipSync(Object.fromEntries(contents)) as Uint8Array<ArrayBuffer>], `${name}.zip`, {
      type: "application/zip",
    }),
  };
}

function refuse(isTooMuch: boolean, message: string): void {
  if (isTooMuch) throw new Error(message);
}
