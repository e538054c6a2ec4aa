// Creates the executors for the scripts of a package.

import type { RunnableScripts } from "../domain/code/compiled";
import type { Executor, IsolateParts } from "./executor";
import { javascript } from "./javascript";
import { python } from "./python/executor";
import { shell } from "./shell/executor";

/** Provides the code of a package. */
export interface PackageSource extends Pick<IsolateParts, "assets" | "readZip"> {
  /** Returns the compiled JavaScript of the package, or a string with the reason why there is none. */
  readScripts(): Promise<RunnableScripts | string>;
}

/** Returns the executors in the order in which they are checked. */
export function executors(parts: IsolateParts, { readScripts }: Pick<PackageSource, "readScripts">): Executor[] {
  const alone = (of: IsolateParts) => [javascript(of, readScripts), python(of)];
  return [...alone(parts), shell(parts, alone)];
}
