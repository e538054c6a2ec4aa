// Reads the ticket of a one-time link from the fragment of the address, which is never sent to a server. The fragment is removed before the
// page renders, so that the ticket appears neither on screen nor in the history.

let waiting = taken();

function taken(): string | null {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return ticket;
}

/** Returns the ticket of the opened link until it is used. */
export const waitingTicket = (): string | null => waiting;

/** A ticket works once, even if the sign-in fails. */
export function spendTicket(): void {
  waiting = null;
}
