// The HTTP/JSON edge of conversations. It is separate from the rest of the API because a chat back end calls it in every turn: a new isolate
// then loads the routes and schemas of conversations only.

import { router } from "../edge/router";
import { conversationRoutes } from "./conversation/conversations";
import { feedbackRoutes } from "./conversation/feedback";
import { storedFileRoutes } from "./conversation/files";
import { stepRoutes } from "./conversation/steps";
import { questionRoutes } from "./questions/requests";
import { socketRoute } from "./questions/socket";
import { apiEdge } from "./resource-edge";

/** A page with a ticket has no key: the socket's route checks both itself. */
const open = router();
open.route("/api/v1", socketRoute);

export const conversationsEdge = apiEdge(
  "/api/v1/conversations",
  [
    ["/api/v1", conversationRoutes],
    ["/api/v1", stepRoutes],
    ["/api/v1", feedbackRoutes],
    ["/api/v1", storedFileRoutes],
    ["/api/v1", questionRoutes],
  ],
  open,
);
