// Console paths that a sign-in can return to: paths of this origin below /console that browsers cannot read otherwise.

import { getPath } from "hono/utils/url";

const PLACE = /^\/console(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?$/;

/** Whether a text is such a path, with an optional query. */
export function isConsolePath(text: string): boolean {
  if (!PLACE.test(text) || text.length > 1_024) return false;
  // As the browser reads it, without `.` and `..`, and then as the router does, with its letters decoded.
  const request = new Request(new URL(text, "https://gateway.invalid"));
  const path = getPath(request);
  const isBelow = path === "/console" || path.startsWith("/console/");
  const isApi = path === "/console/api" || path.startsWith("/console/api/");
  return new URL(request.url).origin === "https://gateway.invalid" && isBelow && !isApi;
}
