// Lists the modules in a wheel from the names in its ZIP directory, without unpacking it.

import { findDirectory } from "../../package/archive/end";

const RECORD = 0x02014b50;
const RECORD_BYTES = 46;

/** Returns the first path segments of its names, or `null` if it is not a ZIP. */
export function modulesInWheel(bytes: Uint8Array): Set<string> | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const place = findDirectory(view);
  if ("code" in place) return null;
  const found = new Set<string>();
  for (let at = place.offset; at + RECORD_BYTES <= view.byteLength && view.getUint32(at, true) === RECORD; ) {
    const length = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + RECORD_BYTES, at + RECORD_BYTES + length));
    const [head = "", ...rest] = name.split("/");
    if (rest.length > 0 && !head.endsWith(".dist-info")) found.add(head);
    else if (head.endsWith(".py")) found.add(head.slice(0, -".py".length));
    at += RECORD_BYTES + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return found;
}
