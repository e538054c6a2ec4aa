// Accessibility of the console's pages and states, in the two most different displays. `npm run try:console` checks all four.

import { it } from "vitest";
import { inspection, type Look, type Plight } from "./states";

const look = inspection();
const [day, night]: [Look, Look] = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 375 },
];

it.each([day, night])("has no serious finding on any page, and fits: $colorScheme, $width pixels wide", look.pages);

it.each<[Plight, Look]>([
  ["no answer yet", day],
  ["the sign-in is too old", night],
])("nor where: %s", look.plight);
