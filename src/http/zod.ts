// zod whose schemas can describe themselves in the OpenAPI document; from here in this folder, so that they always can.

// Gives every schema its method `openapi`, which must be there before the first schema is made.
import "@hono/zod-openapi";

export * from "zod";
