// Security headers of every Worker response. `public/_headers` contains the same for static files.

const POLICY = "default-src 'none'; frame-ancestors 'none'";
const YEAR = 31_536_000;

/** Answers are data: nothing in them runs, nothing frames them, and where they were read stays unsaid. */
export function securityHeaders(headers: Headers, url: string): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", POLICY);
  if (!headers.has("cross-origin-resource-policy")) headers.set("cross-origin-resource-policy", "same-origin");
  if (url.startsWith("https:")) headers.set("strict-transport-security", `max-age=${YEAR}`);
}
