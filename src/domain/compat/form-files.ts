// The files of a form become a ZIP, so that they go through the same door as every upload: what is wrong with them is found there.

import { crc32 } from "../crc32";
import { GatewayError, invalid } from "../errors";
import { PACKAGE_LIMITS } from "../limits";
import { writeZip, type ZipItem } from "../package/canonical";

export interface FormFile {
  /** As the form has it: `<folder>/<path>`. */
  path: string;
  bytes: Uint8Array;
}

/** Maximum length of a name in a ZIP record. */
const NAME_BYTES = 65_535;
/** Beyond this nothing is a skill, and a ZIP without more fields would count anew. */
const MOST_FILES = PACKAGE_LIMITS.files * 4;

/** The upload that these files are: the one ZIP among them, or a ZIP of them. */
export function packFormFiles(files: readonly FormFile[]): Uint8Array {
  const [first] = files;
  if (first === undefined)
    throw invalid([
      { code: "FILES_MISSING", message: "Files are missing. Send the skill's files, or one ZIP.", path: "files[]" },
    ]);
  if (files.length === 1 && isZip(first)) return first.bytes;
  if (files.length > MOST_FILES) {
    const message = `Too many files (limit ${PACKAGE_LIMITS.files}, received ${files.length}). Remove files.`;
    throw new GatewayError("too_large", "PACKAGE_TOO_LARGE", message);
  }
  return writeZip(files.map(itemOf)).zip;
}

function isZip({ path, bytes }: FormFile): boolean {
  return !/(^|[/\\])skill\.md$/i.test(path) && bytes[0] === 0x50 && bytes[1] === 0x4b;
}

function itemOf({ path, bytes }: FormFile): ZipItem {
  if (new TextEncoder().encode(path).length > NAME_BYTES)
    throw invalid([
      {
        code: "PATH_TOO_LONG",
        message: `File name too long (limit ${NAME_BYTES} bytes). Use a shorter name.`,
        path: path.slice(0, 100),
      },
    ]);
  return { path, name: path, stored: bytes, size: bytes.length, crc: crc32(bytes), mode: 0o644, method: 0 };
}
