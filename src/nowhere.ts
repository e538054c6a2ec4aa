// What answers below paths that nothing has: most of what the open internet asks for.

import { Hono } from "hono";
import { answerHeaders } from "./edge/answer";
import type { HttpEnv } from "./edge/env";
import { answerError, nothingHere } from "./edge/errors";
import { addressRate } from "./edge/rate";
import { hearOut } from "./edge/unread";

export const nowhere = new Hono<HttpEnv>();
nowhere.use(hearOut, answerHeaders, addressRate);
nowhere.onError(answerError);
nowhere.notFound(nothingHere);
