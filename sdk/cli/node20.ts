// Adds JavaScript functions that the gateway's modules use and Node 20 lacks.

/** Adds missing functions. It must be called: the package declares no side effects, so a bundler would remove an import alone. */
export function fillNode20(): void {
  Map.groupBy ??= groupBy;
}

function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
