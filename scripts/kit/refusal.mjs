/** An error that the user can fix. It is printed as one sentence without a stack and ends the script. */
export class Refusal extends Error {
  name = "Refusal";
}

export function portTaken(port) {
  return new Refusal(`Port ${port} is taken by another program. Choose another one with --port.`);
}

/** Prints to stderr. stdout is reserved for lines that other programs read. */
export function say(text) {
  console.error(text);
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
