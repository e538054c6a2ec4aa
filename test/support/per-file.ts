// Files of a worker run one after the other in one isolate. What a helper makes for a file is not there for the next one, whose
// registry is empty.

type Begin = () => void | Promise<void>;

const begins = new Set<Begin>();

/** Runs now, and again before every later file of this worker. */
export async function perFile(begin: Begin): Promise<void> {
  begins.add(begin);
  await begin();
}

/** A new file begins. */
export async function beginFile(): Promise<void> {
  for (const begin of begins) await begin();
}
