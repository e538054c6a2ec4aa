// Callers that wait for a question's end. In memory only: a caller whose wait is lost with the object returns with the id.

import type { GatewayError } from "../../domain/errors";

interface Waiter {
  wake(): void;
  fail(error: GatewayError): void;
}

export type Waiters = Map<string, Set<Waiter>>;

/** Resolves when this id is woken, or after this number of milliseconds. Leaves nothing behind. */
export async function waitFor(waiters: Waiters, id: string, milliseconds: number): Promise<void> {
  const others = waiters.get(id) ?? new Set();
  waiters.set(id, others);
  let waiter: Waiter | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  try {
    await new Promise<void>((resolve, reject) => {
      waiter = { wake: resolve, fail: reject };
      others.add(waiter);
      timer = setTimeout(resolve, milliseconds);
    });
  } finally {
    clearTimeout(timer);
    if (waiter !== null) others.delete(waiter);
    if (others.size === 0 && waiters.get(id) === others) waiters.delete(id);
  }
}

export function wake(waiters: Waiters, id: string): void {
  for (const waiter of waiters.get(id) ?? []) waiter.wake();
}

/** Rejects all waiters with the error. */
export function rejectWaiters(waiters: Waiters, error: GatewayError): void {
  for (const waiting of waiters.values()) for (const waiter of waiting) waiter.fail(error);
}
