// zod whose schemas can describe themselves in the OpenAPI document; from here in this folder, so that they always can.

// Gives every schema that is made afterwards its method `openapi`. One that a lower layer has made may be older, since the
// bundler decides which module comes first: its `clone()` has the method.
import "@hono/zod-openapi";

export * from "zod";
