// The pages and states of the console as axe sees them: by day on a desk, by night on a phone. `npm run try:console` has the other two.

import { it } from "vitest";
import { inspection, type Look } from "./states";

const inspect = inspection();

it.each<Look>([
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 375 },
])("has no serious finding on any page, and fits: $colorScheme, $width pixels wide", (look) => inspect(look));
