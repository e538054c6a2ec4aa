// Node positions in the console's graph.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Edge, layersOf } from "../../../console/src/parts/layers";

const MOST = 12;
const ids = fc.uniqueArray(fc.integer({ min: 0, max: 20 }).map(String), { maxLength: 20 });
const edges = fc.array(
  fc.record({ from: fc.integer({ min: 0, max: 22 }).map(String), to: fc.integer({ min: 0, max: 22 }).map(String) }),
  { maxLength: 60 },
);

describe("the layers of a graph", () => {
  it("place every node once, in the requested number of layers", () => {
    fc.assert(
      fc.property(ids, edges, (nodes, ties) => {
        const { spots, leftOut } = layersOf(nodes, ties, MOST);
        expect(new Set(spots.map(({ layer, place }) => `${layer} ${place}`)).size).toBe(spots.length);
        expect(spots).toHaveLength(Math.min(nodes.length, MOST));
        expect(leftOut).toBe(nodes.length - spots.length);
        expect(spots.every(({ id }) => nodes.includes(id))).toBe(true);
      }),
    );
  });

  it("lead every edge on to a later layer, but for those that close a circle", () => {
    fc.assert(
      fc.property(ids, edges, (nodes, ties) => {
        const drawn = layersOf(nodes, ties, MOST);
        const layer = new Map(drawn.spots.map((spot) => [spot.id, spot.layer]));
        for (const { from, to, isBack } of drawn.edges) {
          if (isBack) expect(reaches(drawn.edges, to, from)).toBe(true);
          else expect(layer.get(to)!).toBeGreaterThan(layer.get(from)!);
        }
      }),
    );
  });

  it("are the same for the same graph, however its edges are ordered within a node", () => {
    fc.assert(
      fc.property(ids, edges, (nodes, ties) => {
        expect(layersOf(nodes, ties, MOST)).toEqual(layersOf([...nodes], structuredClone(ties), MOST));
      }),
    );
  });

  it("keep those first that others lead from, and survive circles", () => {
    const ties = [
      { from: "ghost", to: "a" },
      { from: "a", to: "b" },
      { from: "b", to: "a" },
      { from: "b", to: "b" },
      { from: "b", to: "nobody" },
    ];
    const drawn = layersOf(["b", "a", "ghost"], ties, 200);
    expect(Object.fromEntries(drawn.spots.map(({ id, layer }) => [id, layer]))).toEqual({ ghost: 0, a: 1, b: 2 });
    expect(drawn.edges.filter(({ isBack }) => isBack).map(({ from, to }) => `${from}${to}`)).toEqual(["ba", "bb"]);
    expect(layersOf(["b", "a", "ghost"], ties, 2)).toMatchObject({ leftOut: 1, spots: [{ id: "ghost" }, { id: "a" }] });
    expect(
      layersOf(
        ["x", "y"],
        [
          { from: "x", to: "y" },
          { from: "y", to: "x" },
        ],
        200,
      ).spots,
    ).toHaveLength(2);
  });
});

function reaches(all: readonly Edge[], from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true;
  seen.add(from);
  return all.some((edge) => edge.from === from && !seen.has(edge.to) && reaches(all, edge.to, to, seen));
}
