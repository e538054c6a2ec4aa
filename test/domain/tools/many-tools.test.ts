// The tools and tasks of the `find_tool` measurement: their number is right, and each task names an existing tool.

import { expect, it } from "vitest";
import { TOOL_TASKS } from "../../support/many-tools/tasks";
import { MANY_TOOLS } from "../../support/many-tools/tools";

it("are 150 tools of ten servers and 30 tasks for them", () => {
  const names = MANY_TOOLS.flatMap(({ server, tools }) => tools.map(({ name }) => `${server}__${name}`));
  expect([MANY_TOOLS.length, new Set(names).size, TOOL_TASKS.length]).toEqual([10, 150, 30]);
  expect(TOOL_TASKS.filter(([, tool]) => !names.includes(tool))).toEqual([]);
});
