// `npm run try:console`: every page and state as axe sees it, in the looks that CI leaves out.

import { it } from "vitest";
import { inspection, type Look } from "../../test/browser/console/states";

const inspect = inspection();

it.each<Look>([
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 375 },
])("has no serious finding on any page, and fits: $colorScheme, $width pixels wide", (look) => inspect(look));
