// Queries of the registry for instructions that are in a history.

import { expect, it } from "vitest";
import { EMPTY_STATE } from "../../../src/domain/conversation/activation";
import { carry } from "../../../src/domain/conversation/carriers";
import { presentSkills } from "../../../src/services/conversation/auto/history-plan";
import { viewOfCatalog } from "../../../src/services/conversation/catalog-client";
import type { Session } from "../../../src/services/session";
import { openDatabase } from "../../../src/storage/d1/database";
import { contextOf } from "../../support/context";
import { moveSkill, type SeededSkill, seedSkill } from "../../support/registry";
import { counted } from "../../support/trips";

const FACTS = { have: null, history_cut: false, model: null, cache: null, usage: null, history_tokens: null };

function carrying(skills: readonly SeededSkill[]): Session {
  const refs = skills.map(({ id, name, versionId }) => ({
    ...{ name, skill_id: id, version_id: versionId, version: null, tokens: 10, bytes: 40, dependencies: [] },
  }));
  const carriers = refs.reduce(
    (before, ref, index) => carry(before, { id: `call-${index}`, kind: "call", skills: [ref] }),
    EMPTY_STATE.carriers,
  );
  return { state: { ...EMPTY_STATE, carriers } } as unknown as Session;
}

it("many skills take as many queries as one, in two round trips", async () => {
  const others: SeededSkill[] = [];
  for (let index = 0; index < 12; index++) {
    others.push(await seedSkill({ name: `shadowed-${index}` }));
    await seedSkill({ name: `shadowed-${index}`, scope: "user:present-ada" });
  }
  const hidden = await moveSkill(await seedSkill({ name: "hidden" }), "user:eve");
  const ask = async (skills: readonly SeededSkill[]) => {
    const { asked, bindings } = counted();
    const db = openDatabase(bindings.DB.withSession("first-primary"), { storage: 0 });
    const plain = contextOf("present-ada");
    const view = await viewOfCatalog(plain, {});
    const { pins, gone } = await presentSkills({ ...plain, db }, carrying(skills), view, FACTS);
    return { pins: pins.size, gone: [...gone], asked };
  };
  const one = await ask(others.slice(0, 1));
  const all = await ask([...others, hidden]);
  expect([one.pins, all.pins, all.gone]).toEqual([1, 12, [hidden.versionId]]);
  expect(all.asked).toEqual(one.asked);
  // One query for yanked versions, and one batch of two statements for skills that others of the same name precede.
  expect(all.asked.filter((each) => each === "batch").length).toBe(1);
  expect(all.asked.length).toBe(4);
});
