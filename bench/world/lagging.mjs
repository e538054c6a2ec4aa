// Checks correctness with a lagging replica and two isolates: users see nothing that they cannot access, and everything they have just
// written.

import { skillZip } from "./skills.mjs";

const SKILLS = "/api/v1/kinds/skills";

/** A request that publishes this upload. */
export const publish = (form) => ({ method: "POST", path: `${SKILLS}/upload`, form });

/** @returns {Promise<{ gate: string, ok: boolean }[]>} */
export async function beside({ keyFor, measured, lag }) {
  const held = [];
  for (const ms of [0, 1_000, 10_000]) {
    const [ada, eve] = [await keyFor(`ada-${ms}`), await keyFor(`eve-${ms}`)];
    const sees = async ({ key }, isolate, headers) => {
      const { status, text } = await measured(key, { method: "GET", path: `${SKILLS}/unified`, headers }, isolate);
      return status === 200 ? text.includes(`"of-ada-${ms}"`) : status;
    };
    for (const isolate of ["here", "there"]) for (const one of [ada, eve]) await sees(one, isolate);
    await lag(ms);
    const { bookmark } = await measured(ada.key, publish(skillZip(`of-ada-${ms}`)), "here");
    const note = (what, ok) => held.push({ gate: `lag of ${ms / 1_000} s: ${what}`, ok });
    note("a write is seen at once where it was made", (await sees(ada, "here")) === true);
    note("and by its bookmark elsewhere", (await sees(ada, "there", { "x-d1-bookmark": bookmark })) === true);
    note(
      "and by nobody else",
      !(await sees(eve, "here")) && !(await sees(eve, "there")) && !(await sees(eve, `new-${ms}`)),
    );
    await measured(ada.key, { method: "DELETE", path: `/api/v1/keys/${ada.id}` }, "here");
    note("a revoked key ends at once where it was revoked", (await sees(ada, "here")) === 401);
    await lag(0);
  }
  return held;
}
