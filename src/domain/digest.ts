// SHA-256 as lower-case hex: identifies packages, keys and responses.

const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Lower-case hex SHA-256 of bytes, or of a text's UTF-8. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
