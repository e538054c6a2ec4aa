// D1's bookmarks: how far a read has seen the database. Those of one database sort as text.

/** Four numbers in hex, as D1 writes them. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** Whether a text can be a bookmark. Whether there was ever such a state of the database, only D1 knows. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text);
}

/** The latest of some bookmarks; empty when none is there. An empty text sorts before every bookmark. */
export function latestOf(...bookmarks: readonly (string | null)[]): string {
  return bookmarks.reduce<string>((latest, one) => (one !== null && one > latest ? one : latest), "");
}
