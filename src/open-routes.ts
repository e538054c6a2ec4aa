// The routes that need no key and belong to no protocol: pages, health, and the addresses where hosts look for a sign-in.

import { discoveryRoute } from "./api/discovery";
import { healthRoute } from "./api/health";
import type { OpenRoutes } from "./edge/edge";
import { consoleRoute, demoRoute } from "./pages/console";
import { frontRoute } from "./pages/front";

export const openRoutes: OpenRoutes = {
  first: [frontRoute, demoRoute, healthRoute, discoveryRoute],
  // Paths below /console/api are not pages.
  last: [consoleRoute],
};
