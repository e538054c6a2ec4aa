// Builds skills for `npm run bench:world`, as upload forms that can be built again for each request.

import { strToU8, zipSync } from "fflate";

const form = (files) => () => {
  const data = new FormData();
  data.set("file", new Blob([zipSync(files)], { type: "application/zip" }), "skill.zip");
  return data;
};

export function skillZip(name) {
  return form({
    [`${name}/SKILL.md`]: strToU8(`---\nname: ${name}\ndescription: What ${name} is for.\n---\n\nDo it like this.\n`),
    [`${name}/reference.md`]: strToU8("What there is to know.\n"),
  });
}

/** Returns a skill with a tool that returns its input. */
export function toolZip(name) {
  const code = `export class Provider {
  get providerName() { return "bench" }
  get supportedTools() { return ["echo"] }
  createTool() {
    return {
      description: "Says it again.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      async call({ text }) { return text },
    };
  }
}
`;
  const header = `name: ${name}
description: Says it again.
provider: { module: provider.js, class: Provider }
tools: [{ name: echo, provider: bench }]`;
  return form({
    [`${name}/SKILL.md`]: strToU8(`---\n${header}\n---\n\nCall echo.\n`),
    [`${name}/provider.js`]: strToU8(code),
  });
}
