// D1 bookmarks: positions in the history of a database. Bookmarks of one database sort as text.

/** Four hexadecimal numbers, as D1 writes them. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** Whether a text has the form of a bookmark. Only D1 can tell whether it exists. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text);
}

/** Returns the latest bookmark; empty if there is none. An empty text sorts before every bookmark. */
export function latestOf(...bookmarks: readonly (string | null)[]): string {
  return bookmarks.reduce<string>((latest, one) => (one !== null && one > latest ? one : latest), "");
}
