// What Node 20 lacks of the language that the gateway's own modules are written in.

/** Adds it. Called, and not only imported: the package says that its modules have no effects, and a bundler leaves out what has none. */
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
