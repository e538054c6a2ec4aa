// Runs setup code once per test file. The files of a worker share one isolate but not its data: each file starts with an empty registry.

type Begin = () => void | Promise<void>;

const begins = new Set<Begin>();

/** Runs `begin` now and before every later file of this worker. */
export async function perFile(begin: Begin): Promise<void> {
  begins.add(begin);
  await begin();
}

/** Starts a new file. */
export async function beginFile(): Promise<void> {
  for (const begin of begins) await begin();
}
