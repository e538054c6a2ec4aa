// Exports zod with OpenAPI support. This folder imports zod only from here.

// Adds the method `openapi` to every schema created afterwards. Schemas of lower layers may be older, depending on the bundler's order;
// their `clone()` has it.
import "@hono/zod-openapi";

export * from "zod";
