// Packs the files of a form into a ZIP, so that they are checked like every upload.

import { crc32 } from "../crc32";
import { GatewayError, invalid } from "../errors";
import { PACKAGE_LIMITS } from "../limits";
import { writeZip, type ZipItem } from "../package/canonical";

export interface FormFile {
  /** As sent in the form: `<folder>/<path>`. */
  path: string;
  bytes: Uint8Array;
}

/** Maximum length of a name in a ZIP record. */
const NAME_BYTES = 65_535;
/** Above this, no file belongs to a valid skill, and a ZIP without ZIP64 fields could not count them. */
const MOST_FILES = PACKAGE_LIMITS.files * 4;

/** Returns the upload: the only ZIP among the files, or a ZIP of all files. */
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
