// Reads the members of an archive: a tar.gz as a stream, a ZIP through its directory.

import { crc32 } from "../../../domain/crc32";
import { IMPORT_LIMITS } from "../../../domain/imports/limits";
import { readTar, TarFault } from "../../../domain/imports/tar";
import { PACKAGE_LIMITS } from "../../../domain/limits";
import { findDirectory } from "../../../domain/package/archive/end";
import { readRecords } from "../../../domain/package/archive/record";
import type { ZipItem } from "../../../domain/package/canonical";
import type { Timings } from "../../../storage/d1/database";
import { openImportArchive } from "../../../storage/r2/import-archives";
import { ImportStop } from "../stop";
import { gunzipped, isGzip } from "./unpacking";

/** Where archives are stored. */
export interface ArchiveStore {
  packages: R2Bucket;
  timings: Timings;
}

/** An archive member. `bytes`: its stored content, for a digest; `null`: not requested, or too large. */
export interface Member {
  path: string;
  type: "file" | "folder" | "link";
  size: number;
  isExecutable: boolean;
  bytes: (() => Uint8Array) | null;
  /** Converts it to a file of another ZIP. */
  item: ((name: string) => ZipItem) | null;
}

/** Yields all members in order, with the content of requested ones. */
export async function* membersOf(
  place: ArchiveStore,
  key: string,
  wants: (path: string) => boolean,
): AsyncGenerator<Member> {
  const opened = await openImportArchive(place.packages, place.timings, key);
  if (opened === null)
    throw new ImportStop("failed", {
      code: "SOURCE_ABSENT",
      message: "The downloaded archive was not found. Start the import again.",
    });
  const { head, size, body } = opened;
  if (isGzip(head)) {
    yield* tarMembers(body, wants);
    return;
  }
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  if (isZip && size <= IMPORT_LIMITS.zipBytes) {
    yield* zipMembers(new Uint8Array(await new Response(body).arrayBuffer()));
    return;
  }
  await body.cancel();
  if (!isZip) throw new TarFault("SOURCE_INVALID", "The source returned neither a tar.gz nor a ZIP. Check the URL.");
  const most = `${IMPORT_LIMITS.zipBytes / 1_048_576} MiB`;
  throw new TarFault(
    "SOURCE_TOO_LARGE",
    `ZIP too large (limit ${most}). Import the tar.gz instead, which has a higher limit.`,
  );
}

async function* tarMembers(body: ReadableStream<Uint8Array>, wants: (path: string) => boolean): AsyncGenerator<Member> {
  const isWanted = (path: string, size: number) => size <= PACKAGE_LIMITS.fileBytes && wants(path);
  for await (const { path, type, size, isExecutable, bytes } of readTar(gunzipped(body), isWanted)) {
    const mode = isExecutable ? 0o755 : 0o644;
    const item = (kept: Uint8Array) => (name: string) =>
      ({ path: name, name, stored: kept, size, crc: crc32(kept), mode, method: 0 }) as const;
    yield {
      ...{ path, type, size, isExecutable },
      ...(bytes === null ? { bytes: null, item: null } : { bytes: () => bytes, item: item(bytes) }),
    };
  }
}

/** Compressed bytes are passed on unchanged; the reader of the new ZIP decompresses and checks them. */
function* zipMembers(zip: Uint8Array): Generator<Member> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const place = findDirectory(view);
  if ("code" in place) throw new TarFault("SOURCE_INVALID", place.message);
  if (place.count > IMPORT_LIMITS.entries)
    throw new TarFault(
      "SOURCE_TOO_LARGE",
      `Too many entries in the archive (limit ${IMPORT_LIMITS.entries}). Import a smaller archive.`,
    );
  const { records, issues, framed } = readRecords(zip, view, place);
  const [bad] = issues;
  if (!framed || bad !== undefined)
    throw new TarFault(
      "SOURCE_INVALID",
      bad?.message ?? "The records of the archive are inconsistent. Create the archive again.",
    );
  for (const { name: path, flags, method, crc, size, attributes, packed } of records) {
    const mode = attributes >>> 16;
    const kind = mode & TYPE_BITS;
    const isPlain = (kind === 0 || kind === REGULAR) && (flags & ENCRYPTED) === 0 && (method === 0 || method === 8);
    const isExecutable = (mode & 0o100) !== 0;
    const type = path.endsWith("/") ? "folder" : isPlain ? "file" : "link";
    const item = (name: string): ZipItem => ({
      ...{ path: name, name, stored: packed, size, crc, method: method === 8 ? 8 : 0 },
      mode: isExecutable ? 0o755 : 0o644,
    });
    yield { path: path.replace(/\/$/, ""), type, size, isExecutable, bytes: () => packed, item };
  }
}

const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const ENCRYPTED = (1 << 0) | (1 << 6) | (1 << 13);
