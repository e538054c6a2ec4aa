// `npm run try:console`: checks every page and state with axe, in every theme.

import { describe, it } from "vitest";
import { inspection, type Look, type Plight } from "../../browser/console/states";

const look = inspection();
const LOOKS: Look[] = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1280, 375].map((width) => ({ colorScheme, width })),
);

it.each(LOOKS)("has no serious finding on any page, and fits: $colorScheme, $width pixels wide", look.pages);

describe.each<Plight>(["no answer yet", "the sign-in is too old", "the gateway failed"])("nor where: %s", (plight) => {
  it.each(LOOKS)("$colorScheme, $width pixels wide", (each) => look.plight(plight, each));
});
