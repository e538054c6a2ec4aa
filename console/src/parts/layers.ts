// Arranges the nodes of a graph in layers, so that every edge leads to a later layer. Pure and deterministic.

export interface Edge {
  from: string;
  to: string;
}

/** A node and its position. Layers and positions within a layer start at 0. No two nodes share a position. */
export interface Spot {
  id: string;
  layer: number;
  place: number;
}

export interface Layers<E extends Edge> {
  spots: Spot[];
  /** Edges between shown nodes. `isBack`: the edge closes a cycle and leads to an earlier or the same node. */
  edges: (E & { isBack: boolean })[];
  /** Number of nodes that are not shown. */
  leftOut: number;
}

/** Arranges at most `most` nodes, starting with nodes without incoming edges. Edges to unknown ids are ignored. */
export function layersOf<E extends Edge>(ids: readonly string[], edges: readonly E[], most: number): Layers<E> {
  const all = [...new Set(ids)];
  const shown = nearest(all, edges, most);
  const known = new Set(shown);
  const kept = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const { order, back } = walked(shown, kept);
  const layers = new Map(shown.map((id) => [id, 0]));
  const ahead = kept.filter((edge) => !back.has(edge));
  const leading = Map.groupBy(ahead, ({ from }) => from);
  for (const id of order)
    for (const { to } of leading.get(id) ?? [])
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
  return {
    spots: placed(shown, layers, ahead),
    edges: kept.map((edge) => ({ ...edge, isBack: back.has(edge) })),
    leftOut: all.length - shown.length,
  };
}

/** Returns the first `most` nodes by distance from a node without incoming edges. */
function nearest(ids: readonly string[], edges: readonly Edge[], most: number): string[] {
  const targets = new Set(edges.flatMap(({ from, to }) => (from === to ? [] : [to])));
  const leading = Map.groupBy(edges, ({ from }) => from);
  const known = new Set(ids);
  const seen = new Set<string>();
  // In a cycle without an incoming edge, the search starts at the first node.
  for (const start of [...ids.filter((id) => !targets.has(id)), ...ids]) {
    let level = seen.has(start) ? [] : [start];
    for (const id of level) seen.add(id);
    while (level.length > 0) {
      level = level.flatMap((id) => leading.get(id) ?? []).map(({ to }) => to);
      level = [...new Set(level)].filter((id) => known.has(id) && !seen.has(id));
      for (const id of level) seen.add(id);
    }
  }
  return [...seen].slice(0, most);
}

/** Returns the nodes in topological order, and the edges that close a cycle. */
function walked<E extends Edge>(ids: readonly string[], edges: readonly E[]): { order: string[]; back: Set<E> } {
  const leading = Map.groupBy(edges, ({ from }) => from);
  const open = new Set<string>();
  const done: string[] = [];
  const seen = new Set<string>();
  const back = new Set<E>();
  const visit = (id: string) => {
    seen.add(id);
    open.add(id);
    for (const edge of leading.get(id) ?? []) {
      if (open.has(edge.to)) back.add(edge);
      else if (!seen.has(edge.to)) visit(edge.to);
    }
    open.delete(id);
    done.push(id);
  };
  for (const id of ids) if (!seen.has(id)) visit(id);
  return { order: done.reverse(), back };
}

/** Places each node of a layer near its predecessors, otherwise in input order. */
function placed(ids: readonly string[], layers: ReadonlyMap<string, number>, edges: readonly Edge[]): Spot[] {
  const parents = Map.groupBy(edges, ({ to }) => to);
  const byLayer = Map.groupBy(ids, (id) => layers.get(id) ?? 0);
  const places = new Map<string, number>();
  const spots: Spot[] = [];
  for (const layer of [...byLayer.keys()].sort((a, b) => a - b)) {
    const weighed = (byLayer.get(layer) ?? []).map((id, n): [id: string, weight: number] => {
      const above = (parents.get(id) ?? []).map(({ from }) => places.get(from) ?? 0);
      return [id, above.length === 0 ? n : above.reduce((sum, place) => sum + place, 0) / above.length];
    });
    for (const [place, [id]] of weighed.sort(([, a], [, b]) => a - b).entries()) {
      places.set(id, place);
      spots.push({ id, layer, place });
    }
  }
  return spots;
}
