// Security headers of every Worker response. `public/_headers` contains the same for static files.

const POLICY = "default-src 'none'; frame-ancestors 'none'";
const YEAR = 31_536_000;

/** Responses are data: browsers must not run or frame them, and links in them send no referrer. */
export function securityHeaders(headers: Headers, url: string): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", POLICY);
  if (!headers.has("cross-origin-resource-policy")) headers.set("cross-origin-resource-policy", "same-origin");
  if (url.startsWith("https:")) headers.set("strict-transport-security", `max-age=${YEAR}`);
}
