// Limits of the stream of registry events. Without imports, because every isolate loads this file.

export const EVENT_LIMITS = {
  /** Open streams of one user, and of all together. */
  perUser: 10,
  total: 5_000,
  /** Missed events that are sent to a reader that continues. With more, it must list again. */
  missed: 1_000,
  /** Stored events of one scope after the hourly clean-up. */
  perScope: 1_000,
  /** Events that the hub reads at once, and how far back it reads if it does not know what it sent. */
  read: 500,
  lookBack: 100,
  /** Bytes that a reader may leave unread. */
  unreadBytes: 65_536,
  /** Milliseconds. */
  streamMs: 10 * 60_000,
  keepAliveMs: 15_000,
  /** Readers wait this long before they connect again. */
  retryMs: 3_000,
} as const;
