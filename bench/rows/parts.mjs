// Measures the parts of the floors, without budgets: an empty request, one D1 statement, the gateway's batch of two, and a call to an
// object that writes.

const USER = "parts";

export async function run({ gateway, compare }) {
  const get = (route) => ({ prepare: () => gateway.request(USER, "GET", route) });
  await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(USER) });
  const write = {
    prepare: () => gateway.request(USER, "POST", "/floor/object", { id: USER, text: "x".repeat(600) }),
  };
  const rows = {
    "one D1 statement, over a request that does nothing": { floor: get("/floor/hello"), path: get("/floor/d1") },
    "a D1 batch of two statements, over one": { floor: get("/floor/d1"), path: get("/floor/d1-batch") },
    "object call with a write, over a request that does nothing": { floor: get("/floor/hello"), path: write },
  };
  const results = [];
  for (const [name, sides] of Object.entries(rows)) results.push({ name, budget: null, ...(await compare(sides)) });
  return results;
}
