// Reads the ticket of a one-time link. It is in the fragment of the URL, which servers and logs do not receive. It is removed before the
// page is shown, so that it does not appear in the history or on the screen.

let waiting = taken();

function taken(): string | null {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return ticket;
}

/** Returns the ticket of the opened link until it is used. */
export const waitingTicket = (): string | null => waiting;

/** Discards the ticket. It is used once, even if the sign-in fails. */
export function spendTicket(): void {
  waiting = null;
}
