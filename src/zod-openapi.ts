// Gives every zod schema that is made afterwards its method `openapi`. Of its own, and without exports: asking for a module brings all that
// it exports, and `edge/zod.ts` exports all of zod.

import "@hono/zod-openapi";
