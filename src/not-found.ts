// Answers paths that do not exist: most requests from the open internet.

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
