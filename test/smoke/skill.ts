// Uploads and reads small skills.

import { strToU8, zipSync } from "fflate";
import type { Gateway } from "./launcher";

export function skillForm(name: string, body: string, version = "1.0.0", files: Record<string, string> = {}): FormData {
  const text = `---\nname: ${name}\ndescription: "A skill of the smoke tests."\nversion: "${version}"\n---\n\n${body}\n`;
  const all = Object.entries({ "SKILL.md": text, ...files });
  const zip = zipSync(Object.fromEntries(all.map(([file, content]) => [`${name}/${file}`, strToU8(content)])));
  const form = new FormData();
  form.set("file", new Blob([zip], { type: "application/zip" }), `${name}.zip`);
  return form;
}

/** Uploads a skill and returns its id. */
export async function upload(gateway: Gateway, name: string, body: string, key?: string): Promise<string> {
  const answer = await gateway.fetch("/api/v1/kinds/skills/upload", {
    method: "POST",
    body: skillForm(name, body),
    key,
  });
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  const skill = (await answer.json()) as { metadata: { labels: { id: string } } };
  return skill.metadata.labels.id;
}

/** Returns the stored SKILL.md of a skill. */
export async function readSkill(gateway: Gateway, id: string, key?: string): Promise<string> {
  const answer = await gateway.fetch(`/api/v1/kinds/skills/${id}/files/SKILL.md`, { key });
  if (answer.status !== 200) throw new Error(`read: ${answer.status} ${await answer.text()}`);
  return answer.text();
}
