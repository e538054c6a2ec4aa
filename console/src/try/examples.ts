// Contains examples for a first message. The scripted model `demo` calls the tool that a message names, with the JSON after the name.
// Another model receives only the words.

import { t } from "../text/text";

export interface Example {
  label: string;
  /** The additional input for the scripted model. */
  script: string;
}

const LOGIN = `sequenceDiagram
    participant user as User
    participant app as App
    participant id as Identity provider
    user->>app: Open page
    app->>id: Ask who it is
    id->>user: Ask for password
    user->>id: Password
    id-->>app: Token
    app-->>user: Welcome`;

const ORDERS = `date,region,amount
2026-01-08,North,49.90
2026-01-17,South,120.00
2026-02-03,West,99.80
2026-02-11,South,698.00
2026-03-02,North,349.00
2026-03-19,East,240.00
`;

const BOATS = [
  { name: "Heron", harbour: "North", metres: 12.5, crew: { captain: "Ada", hands: 3 } },
  { name: "Tern", harbour: "South", metres: 9, crew: { captain: "Ben", hands: 2 } },
  { name: "Gull", harbour: "North", metres: 7.25 },
];

const script = (skill: string, tool: string, given: object) => `Use ${skill}: ${tool} ${JSON.stringify(given)}`;

export const EXAMPLES: readonly Example[] = [
  {
    label: t("Draw how a login works"),
    script: script("mermaid-diagram", "render_mermaid", { title: "How a login works", code: LOGIN }),
  },
  {
    label: t("Draw a flow, with a mistake"),
    script: script("mermaid-diagram", "render_mermaid", {
      title: "A flow",
      code: "flowchart TD\n    a --> b\n    oops ->",
    }),
  },
  {
    label: `${t("Report these orders by region, with a chart:")}\n\n${ORDERS}`,
    script: script("csv-report", "execute_skill_script", {
      ...{ skill_name: "csv-report", script_path: "scripts/report.py" },
      args: ["--by", "region", "--value", "amount", "--title", "Orders"],
      input: ORDERS,
    }),
  },
  {
    label: `${t("Show these boats as a table:")} ${JSON.stringify(BOATS)}`,
    script: script("json-table", "execute_skill_script", {
      ...{ skill_name: "json-table", script_path: "scripts/table.js" },
      args: [],
      input: JSON.stringify(BOATS),
    }),
  },
  { label: t("Hello"), script: "Hello" },
];

/** Returns the message of an example for a model. */
export const wordsOf = ({ label, script }: Example, model: string): string => (model === "demo" ? script : label);

/** Returns the first message of a chat that tries a skill. It is for the model and therefore in English. */
export const openingFor = (skill: string): string => `Use ${skill}, please.`;

/** The same for a tool of a server. The user adds what it should do. */
export const openingForTool = (tool: string): string => `Call the tool ${tool}, please.`;
