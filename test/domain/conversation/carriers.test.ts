import fc from "fast-check";
import { expect, it } from "vitest";
import { EMPTY_STATE } from "../../../src/domain/conversation/activation";
import {
  type Carrier,
  type Carriers,
  carriersInEffect,
  carriersOfLoad,
  carry,
  keepReported,
  markDue,
  markEdited,
  presentVersion,
} from "../../../src/domain/conversation/carriers";
import { editsOf } from "../../../src/domain/conversation/history-plan";

const skill = (name: string, version = "1") => ({
  name,
  skill_id: `skl_${name}`,
  version_id: `ver_${name}${version}`,
  version,
  tokens: 10,
  bytes: 40,
  dependencies: [],
});
const carrier = (id: string, ...names: string[]) => ({ id, kind: "call" as const, skills: names.map((n) => skill(n)) });
const all = (...carriers: ReturnType<typeof carrier>[]) => carriers.reduce<Carriers>(carry, []);
const edits = (...asked: string[]) => asked.map((id) => ({ id, required: false }));
const ids = (carriers: Carriers) => carriersInEffect(carriers).map(({ id }) => id);

it("an answer without instructions is no carrier, and a repeated id has its newest content", () => {
  expect(all(carrier("1"))).toEqual([]);
  const again = all(carrier("1", "a"), carrier("2", "b"), carrier("1", "c"));
  expect(again.map(({ id, skills }) => [id, skills[0]?.name])).toEqual([
    ["2", "b"],
    ["1", "c"],
  ]);
});

it("the newest text of a skill counts", () => {
  const both = carry(all(carrier("1", "a")), { id: "2", kind: "call", skills: [skill("a", "2")] });
  expect(presentVersion(both, "a")?.version).toBe("2");
  expect(presentVersion(markEdited(both, edits("2")), "a")?.version).toBe("1");
  expect(presentVersion(both, "b")).toBeNull();
});

it("instructions that were withdrawn do not count, although the caller did not have to remove them", () => {
  const both = carry(all(carrier("1", "a")), { id: "2", kind: "call", skills: [skill("a", "2")] });
  const withdrawn = markEdited(both, [{ id: "2", required: true }]);
  expect(presentVersion(withdrawn, "a")?.version).toBe("1");
  expect(ids(withdrawn)).toEqual(["1"]);
});

it("a skill that leaves because of the budget leaves with every text that no other skill needs", () => {
  const carriers = all(carrier("1", "needed", "a"), carrier("2", "a"), carrier("3", "b"));
  expect(ids(markDue(carriers, "a", new Set(["needed"])))).toEqual(["1", "3"]);
  expect(ids(markDue(carriers, "a", new Set()))).toEqual(["3"]);
});

it("no caller makes a state without end: those that were to be replaced are forgotten first, then the oldest", () => {
  const many = all(...Array.from({ length: 255 }, (_, index) => carrier(`${index}`, "a")));
  const edited = markEdited(many, edits("7"));
  const full = carry(edited, carrier("new", "b"));
  expect(full.length).toBe(256);
  const next = carry(full, carrier("newer", "b"));
  expect([next.length, next[0]?.id, next.some(({ id }) => id === "7")]).toEqual([256, "0", false]);
  expect(carry(next, carrier("newest", "b"))[0]?.id).toBe("1");
  const large = Array.from({ length: 400 }, (_, index) => `s${index}`);
  expect(all(carrier("1", ...large), carrier("2", ...large), carrier("3", ...large)).map(({ id }) => id)).toEqual([
    "2",
    "3",
  ]);
});

it("a call whose id is too long to be named later carries nothing", () => {
  const load = (call: string) => ({
    ...{ type: "loaded" as const, turn: 1, name: "a", skills: [skill("a")], delivered: ["a"] },
    call,
  });
  expect(ids(carriersOfLoad([], load("x".repeat(255)))).length).toBe(1);
  expect(carriersOfLoad([], load("x".repeat(256)))).toEqual([]);
});

it("a caller that could keep a text must replace it once it cannot be used any more", () => {
  const both = all(carrier("1", "a"), carrier("2", "b"));
  const state = (carriers: Carriers) => ({ ...EMPTY_STATE, carriers });
  const cold = editsOf(state(both), true, () => false);
  expect(cold).toEqual([
    { id: "1", required: false },
    { id: "2", required: false },
  ]);
  const kept = markEdited(both, cold);
  const isGone = ({ name: gone }: { name: string }) => gone === "a";
  const told = editsOf(state(kept), false, isGone);
  expect(told).toEqual([{ id: "1", required: true }]);
  // Reported once, because no alternative existed. If the caller reports that the text is back, it is reported again.
  const withdrawn = markEdited(kept, told);
  expect(editsOf(state(withdrawn), true, isGone)).toEqual([]);
  expect(editsOf(state(keepReported(withdrawn, ["1"])), false, isGone)).toEqual(told);
});

const name = fc.constantFrom("a", "b", "c", "d");
const id = fc.constantFrom("1", "2", "3", "4", "5", "6");
const operation = fc.oneof(
  fc.record({ do: fc.constant("carry" as const), id, names: fc.uniqueArray(name) }),
  fc.record({ do: fc.constant("have" as const), ids: fc.uniqueArray(id) }),
  fc.record({ do: fc.constant("edit" as const), ids: fc.uniqueArray(id) }),
  fc.record({ do: fc.constant("evict" as const), name }),
);

it("reports a skill as present exactly if the caller's history contains it", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      let carriers: Carriers = [];
      // The history of a caller that follows every instruction, by id.
      const history = new Map<string, { names: string[]; edited: boolean }>();
      for (const op of operations) {
        if (op.do === "carry") {
          carriers = carry(carriers, carrier(op.id, ...op.names));
          if (op.names.length > 0) history.set(op.id, { names: op.names, edited: false });
        } else if (op.do === "have") {
          carriers = keepReported(carriers, op.ids);
          for (const known of history.keys()) if (!(op.ids as string[]).includes(known)) history.delete(known);
          // The caller reports that these messages are restored.
          for (const kept of history.values()) kept.edited = false;
        } else if (op.do === "edit") {
          carriers = markEdited(carriers, edits(...op.ids));
          for (const edited of op.ids) {
            const known = history.get(edited);
            if (known !== undefined) known.edited = true;
          }
        } else {
          carriers = markDue(carriers, op.name, new Set());
          const due = carriers.filter(({ state }: Carrier) => state === "due").map((each) => each.id);
          carriers = markEdited(carriers, edits(...due));
          for (const each of due) history.set(each, { ...(history.get(each) ?? { names: [] }), edited: true });
        }
      }
      for (const wanted of ["a", "b", "c", "d"]) {
        const there = [...history.values()].some(({ names, edited }) => !edited && names.includes(wanted));
        expect(presentVersion(carriers, wanted) !== null).toBe(there);
      }
    }),
  );
});
