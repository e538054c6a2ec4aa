// All journeys, by their titles.

import { composed } from "./composed";
import { deadServer } from "./dead-server";
import { firstSkill } from "./first-skill";
import { JOBS } from "./jobs";
import { key } from "./key";
import { mended } from "./mended";
import { roles } from "./roles";
import { rolledBack } from "./rolled-back";
import { typo } from "./typo";
import type { Journey } from "./visit";
import { watched } from "./watched";

export const JOURNEYS: Readonly<Record<string, Journey>> = {
  "a first visit ends with a first skill": firstSkill,
  "a broken package is mended by its report": mended,
  "two versions are compared, and the older one comes back": rolledBack,
  "a server that dies is shown as down": deadServer,
  "a ghost is composed from an empty page and tried": composed,
  "a conversation is watched while somebody drives it": watched,
  "a key is made, used and revoked": key,
  "a typo in a skill is fixed and published": typo,
  ...JOBS,
  "everybody sees what they may, and nothing else": roles,
};
