// /llms.txt: the index of the served documents lists all of them and nothing else.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { prepareDocuments } from "../../scripts/build/documents.mjs";

it("names every served document once, and is made anew only when it changed", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "documents-"));
  try {
    expect(await prepareDocuments(folder)).toBe(true);
    expect(await prepareDocuments(folder)).toBe(false);
    const text = await readFile(path.join(folder, "llms.txt"), "utf8");
    expect(text).toMatch(/^# Skill Gateway\n\n> .+\n/);
    const links = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link]) => link);
    const served = await readdir(path.join(folder, "docs"));
    const documents = served.filter((name) => name.endsWith(".md")).map((name) => `/docs/${name}`);
    // The pages of the API are found from their index.
    expect(links.sort()).toEqual([...documents, "/docs/api/README.md", "/docs/", "/openapi.json"].sort());
    expect(await readdir(path.join(folder, "docs/api"))).toEqual(expect.arrayContaining(["README.md", "skills.md"]));
    expect(served).toEqual(expect.arrayContaining(["index.html", "page.js", "style.css"]));
    await rm(path.join(folder, "llms.txt"));
    expect(await prepareDocuments(folder)).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
