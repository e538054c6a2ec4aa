// The ticket of a one-time link. It stands behind the # of the page's address, which no server and no log sees, and leaves it before
// anything is shown, so that neither the history nor who looks at the screen has it.

let waiting = taken();

function taken(): string | null {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return ticket;
}

/** The ticket with which the page was opened, until it is spent. */
export const waitingTicket = (): string | null => waiting;

/** It counts once, whatever comes of it. */
export function spendTicket(): void {
  waiting = null;
}
