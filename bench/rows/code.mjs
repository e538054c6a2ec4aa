// Code of skills: a provider's tool and a script, warm and cold. The floors call a bare isolate of the Worker Loader
// (`/floor/loader` of bench/worker.ts), in the same object and after the same reads.

import { begin, isAnswered, isolateFloor, publishCode } from "../code.mjs";

const USER = "code";
/**
 * Cold passes have a fixed number of samples. A release build leaves isolates to the platform, so a local runtime keeps them all, and
 * one process ends with "heap out of memory" at about 2 000 empty ones, or fewer beside other data. Passes of a fixed duration, repeated
 * on a busy machine, made that many.
 */
const COLD_BLOCKS = 6;

export async function run({ gateway, compare }) {
  await publishCode(gateway, "warm");
  const tool = { name: "answer", arguments: { question: "how much" } };
  const script = {
    name: "execute_skill_script",
    arguments: { skill_name: "warm", script_path: "scripts/answer.js", input: "how much" },
  };
  const warm = (call) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/${call.name}-${Math.floor(n / 20)}`;
      if (n % 20 === 0) await begin(gateway, USER, route, "warm");
      return gateway.request(USER, "POST", `${route}/tool-calls`, { calls: [{ id: `call_${n}`, ...call }] });
    },
    check: isAnswered,
  });
  // A user without any isolate. The isolate is cold, not the code.
  const cold = (call) => ({
    async prepare(n) {
      const user = `${call.name}-cold-${n}`;
      await begin(gateway, user, "/api/v1/conversations/cold", "warm");
      return gateway.request(user, "POST", "/api/v1/conversations/cold/tool-calls", {
        calls: [{ id: "call", ...call }],
      });
    },
    check: isAnswered,
  });
  const bare = isolateFloor(gateway, USER, () => "bare");
  const counted = isolateFloor(gateway, USER, () => "bare", true);
  const fresh = (name) => isolateFloor(gateway, USER, (n) => `${name}-${n}`, name === "script");
  const isolates = { blocks: COLD_BLOCKS };
  const coldTool = await compare({ floor: fresh("tool"), path: cold(tool) }, isolates);
  const coldScript = await compare({ floor: fresh("script"), path: cold(script) }, isolates);
  return [
    { name: "provider tool, warm", budget: 1.5, ...(await compare({ floor: bare, path: warm(tool) })) },
    { name: "script, warm", budget: 1.5, ...(await compare({ floor: counted, path: warm(script) })) },
    { name: "provider tool, cold", budget: null, ...coldTool },
    { name: "script, cold", budget: null, ...coldScript },
  ];
}
