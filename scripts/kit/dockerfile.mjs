// Reads a Dockerfile and .dockerignore, to follow their steps without Docker. Refuses what it cannot follow.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { root } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

/** Instructions that say how an image is started. The others are steps of its build. */
const SETTINGS = ["VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"];
const STEPS = ["WORKDIR", "COPY", "RUN", "USER", "ENV"];

/**
 * @typedef {{ name: string, args: string, from?: string }} Step `from`: the stage of COPY
 * @typedef {{ name: string | null, image: string, steps: Step[], settings: Record<string, string> }} Stage
 */

/**
 * Returns the stages of a Dockerfile in the repository, in their order. Throws with everything that the linter finds.
 * @param {string} name relative to the repository
 * @returns {Promise<Stage[]>}
 */
export async function readDockerfile(name) {
  const text = await readFile(path.join(root, name), "utf8");
  const found = validate(text).map(({ range, message }) => `${name}:${range.start.line + 1}: ${message}`);
  if (found.length > 0) throw new Refusal(found.join("\n"));
  const stages = [];
  // Docker removes lines of comments, also inside of an instruction.
  for (const instruction of DockerfileParser.parse(text.replace(/^\s*#.*\n/gm, "")).getInstructions())
    addTo(stages, instruction, name);
  return stages;
}

function addTo(stages, instruction, file) {
  const name = instruction.getInstruction();
  const args = instruction.getArgumentsContent();
  const stage = stages.at(-1);
  if (name === "FROM") {
    stages.push({ name: instruction.getBuildStage(), image: instruction.getImage(), steps: [], settings: {} });
  } else if (SETTINGS.includes(name)) {
    const flags = instruction.getFlags?.().map(String) ?? [];
    stage.settings[name] = [...(name === "HEALTHCHECK" ? [] : flags), args].join(" ");
  } else if (STEPS.includes(name)) {
    const flags = instruction.getFlags?.().map((flag) => [flag.getName(), flag.getValue()]) ?? [];
    const unknown = flags.filter(([flag]) => name !== "COPY" || flag !== "from");
    if (unknown.length > 0) throw new Refusal(`${file}: ${name} --${unknown[0][0]} is not supported by this trial.`);
    stage.steps.push({ name, args, from: flags[0]?.[1] });
  } else throw new Refusal(`${file}: ${name} is not supported by this trial.`);
}

/** The program and arguments of an instruction in JSON form. The form without JSON starts a shell and receives no signals. */
export function programOf(text) {
  const list = /\[[\s\S]*\]/.exec(text ?? "")?.[0];
  return list === undefined ? [] : JSON.parse(list);
}

/** Whether Docker sends a file to the build. Later lines of .dockerignore win; a line for a folder covers its files. */
export async function readIgnored() {
  const lines = (await readFile(path.join(root, ".dockerignore"), "utf8")).split("\n").map((line) => line.trim());
  const rules = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const isKept = line.startsWith("!");
      // Docker cleans paths, so `folder/*/` also matches files.
      const pattern = line.slice(isKept ? 1 : 0).replace(/^\/|\/$/g, "");
      if (/\*\*|[?[\\]/.test(pattern)) throw new Refusal(`.dockerignore: ${line} is not supported by this trial.`);
      const source = pattern
        .split("*")
        .map((part) => part.replace(/[$()+.\]^{|}]/g, "\\$&"))
        .join("[^/]*");
      return { isKept, matches: new RegExp(`^${source}(?:/|$)`) };
    });
  return (name) => rules.reduce((isIgnored, { isKept, matches }) => (matches.test(name) ? !isKept : isIgnored), false);
}
