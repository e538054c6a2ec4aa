// What runs the scripts of a package, whatever their language.

import type { RunnableScripts } from "../domain/code/compiled";
import type { Executor, IsolateParts } from "./executor";
import { javascript } from "./javascript";
import { python } from "./python/executor";
import { shell } from "./shell/executor";

/** Where the code of a package comes from. */
export interface PackageSource extends Pick<IsolateParts, "assets" | "readZip"> {
  /** Its JavaScript, ready to run; a text says why there is none. */
  readScripts(): Promise<RunnableScripts | string>;
}

/** In the order in which they are asked. */
export function executors(parts: IsolateParts, { readScripts }: Pick<PackageSource, "readScripts">): Executor[] {
  const alone = (of: IsolateParts) => [javascript(of, readScripts), python(of)];
  return [...alone(parts), shell(parts, alone)];
}
