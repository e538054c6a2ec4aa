// What answers below paths that nothing has: most of what the open internet asks for.

import { Hono } from "hono";
import { answerHeaders } from "./edge/answer";
import { drainBody } from "./edge/drain-body";
import type { HttpEnv } from "./edge/env";
import { answerError, pathNotFound } from "./edge/errors";
import { addressRate } from "./edge/rate";

export const notFound = new Hono<HttpEnv>();
notFound.use(drainBody, answerHeaders, addressRate);
notFound.onError(answerError);
notFound.notFound(pathNotFound);
