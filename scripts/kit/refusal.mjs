/** An error that the user can fix. It is printed as one sentence without a stack and ends the script. */
export class Refusal extends Error {
  name = "Refusal";
}

export function portTaken(port) {
  return new Refusal(`Port ${port} is taken by another program. Choose another one with --port.`);
}

let write = (text) => console.error(text);

/** Prints to stderr. stdout is reserved for lines that other programs read. */
export function say(text) {
  write(text);
}

/** From now on `say` writes lines of JSON to stdout, for programs that collect logs. */
export function logAsJson() {
  write = (text) => console.log(JSON.stringify({ at: new Date().toISOString(), ...eventIn(text) }));
}

/** The Worker's own events are JSON already. */
function eventIn(text) {
  try {
    const value = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Not JSON: a message for people.
  }
  return { event: "message", message: text };
}

/** A number with its noun: `1 skill`, `2 skills`. */
export function countOf(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Ends a script after an error of its `main`. */
export function fail(error) {
  say(error instanceof Refusal ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
}
