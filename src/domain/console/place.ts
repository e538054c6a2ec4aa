// Places in the console that a sign-in may lead back to: paths of this origin below /console, and nothing that a browser reads as more.

const PLACE = /^\/console(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*(?:\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?$/;

/** Whether a text is such a path. It may have a query. */
export function isConsolePath(text: string): boolean {
  if (!PLACE.test(text) || text.length > 1_024) return false;
  // As the browser reads it: without `.` and `..`, encoded or not.
  const { origin, pathname } = new URL(text, "https://gateway.invalid");
  const isBelow = pathname === "/console" || pathname.startsWith("/console/");
  return origin === "https://gateway.invalid" && isBelow && !pathname.startsWith("/console/api");
}
