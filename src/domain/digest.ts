// SHA-256 as lower-case hex: the identity of packages, keys and answers.

/** Lower-case hex SHA-256 of bytes, or of a text's UTF-8. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
