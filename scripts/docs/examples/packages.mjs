// The skill packages of the recorded examples, as ZIPs that have the same bytes in every run.

import { strToU8, zipSync } from "fflate";

/**
 * Returns a package as a form part.
 * @param {string} name
 * @param {Record<string, string>} files
 */
function packageOf(name, files) {
  const entries = Object.entries(files).map(([path, text]) => [`${name}/${path}`, strToU8(text)]);
  return { name: `${name}.zip`, bytes: zipSync(Object.fromEntries(entries), { mtime: "2026-01-01" }) };
}

/** A skill of a user: instructions, a reference file and example prompts. */
export const releaseNotes = (version, lastRule) =>
  packageOf("release-notes", {
    "SKILL.md": `---
name: release-notes
description: "Writes release notes from a list of changes. Use it when the user asks for release notes or a changelog."
version: "${version}"
displayName: Release notes
author: Alice
tags:
  - writing
  - changelog
---

# Release notes

1. Group the changes: breaking changes, new features, fixes.
2. Write one sentence per change, in the present tense.
3. ${lastRule}

For the tone, read \`references/style.md\`.
`,
    "references/style.md": "# Style\n\nName the feature first. Do not name ticket numbers.\n",
    "evals/evals.json": JSON.stringify([{ prompt: "Write the release notes for version 2.4" }]),
  });

/** A public skill with a tool and an MCP server. */
export const weatherReport = (version, denied) =>
  packageOf("weather-report", {
    "SKILL.md": `---
name: weather-report
description: "Reports the weather of a city. Use it when the user asks about the weather, rain or temperatures."
version: "${version}"
provider:
  module: provider
  class: Weather
tools:
  - name: to_fahrenheit
network: [api.example.com]
env: [WEATHER_KEY]
mcpServers:
  weather:
    url: https://mcp.example.com/mcp
    headers:
      authorization: "Bearer \${{secrets.WEATHER_TOKEN}}"
${denied.length === 0 ? "" : `    deny: [${denied.join(", ")}]\n`}---

# Weather report

Call \`forecast\` of the server \`weather\`, and convert temperatures with \`to_fahrenheit\` if the user wants them in Fahrenheit.
`,
    "provider.js": `export class Weather {
  get providerName() { return "weather" }
  get supportedTools() { return ["to_fahrenheit"] }
  createTool() {
    return {
      description: "Converts degrees Celsius to Fahrenheit.",
      inputSchema: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
      async call({ celsius }) { return { fahrenheit: celsius * 1.8 + 32 } },
    }
  }
}
`,
  });

/** A package without a description, which publishing rejects. */
export const withoutDescription = packageOf("meeting-minutes", {
  "SKILL.md": "---\nname: meeting-minutes\n---\n\n# Meeting minutes\n\nList decisions first.\n",
});

/** A skill of another site, as an archive of its index. */
export const summary = zipSync(
  {
    "SKILL.md": strToU8(
      '---\nname: summary\ndescription: "Summarizes a text in three sentences. Use it when the user wants a short version."\n---\n\nWrite three sentences.\n',
    ),
  },
  { mtime: "2026-01-01" },
);
