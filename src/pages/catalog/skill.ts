// The page of one skill of the catalog.

import type { Provenance } from "../../domain/access/provenance";
import type { SkillSource } from "../../domain/catalog/source";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { type Html, html, plain } from "../../edge/html";
import type { CatalogSkill, MonthlyLoads, OpenEntry } from "../../services/compat/catalog-pages";
import type { RatingRow } from "../../storage/d1/registry/ratings";
import { installBlocks } from "./install";
import { entryTitle, figure, listPath, metaText, nameHtml, skillPath, starsHtml } from "./list";
import { markdownHtml } from "./markdown";

const COMMIT_CHARS = 12;

/** Writes the page of a skill. */
export function skillBody(
  skill: CatalogSkill,
  { origin, isSigned, loads }: { origin: string; isSigned: boolean; loads: MonthlyLoads },
): Html {
  const { entry, record } = skill;
  const used = loads.get(entry.id);
  return html`<h1>${plain(entryTitle(entry))}</h1>
<p>${plain(record.description)}</p>
<div class="facts above">${nameHtml(entry)}${starsHtml(entry.rating)}${used === undefined ? null : html`<span>${figure(used)} loads in the last 30 days</span>`}</div>
<div class="two">
<div class="aside">
${factsHtml(skill, isSigned)}
${permissionsHtml(skill)}
${versionsHtml(skill)}
</div>
<div>
${installHtml(skill, origin)}
${instructionsHtml(record.instructions)}
${filesHtml(skill)}
${reviewsHtml(skill)}
</div>
</div>`;
}

/** Returns the facts of a page in the form of https://schema.org. */
export function skillData({ entry, record, declared }: CatalogSkill, url: string): object {
  return {
    "@context": "https://schema.org",
    "@type": "SoftwareSourceCode",
    ...{ name: entryTitle(entry), url, description: metaText(record.description) },
    version: entry.label ?? `${entry.number}`,
    dateModified: new Date(entry.updatedAt).toISOString(),
    ...(declared.manifest.license === undefined ? {} : { license: metaText(declared.manifest.license) }),
    ...(record.author === null ? {} : { author: { "@type": "Person", name: metaText(record.author) } }),
    ...(entry.rating.average === null
      ? {}
      : {
          aggregateRating: {
            ...{ "@type": "AggregateRating", ratingValue: entry.rating.average, ratingCount: entry.rating.count },
          },
        }),
    ...(entry.tags.length === 0 ? {} : { keywords: metaText(entry.tags.join(", ")) }),
  };
}

function installHtml({ entry, archive }: CatalogSkill, origin: string): Html {
  if (archive === null)
    return html`<section class="card"><h2>Install</h2>
<p>Clients of skill registries cannot install this skill, because its name or its SKILL.md does not follow their rules. Agents that are connected to this gateway can load it.</p></section>`;
  const blocks = installBlocks(origin, entry.name, zipPath(entry.name, archive));
  return html`<section class="card"><h2>Install</h2>
${blocks.map(
  ({ client, text, note }) => html`<div class="command">
<div class="line"><h3>${client}</h3><button type="button" hidden aria-label="Copy the command for ${client}">Copy</button></div>
${note === undefined ? null : html`<p class="soft small">${note}</p>`}
<pre tabindex="0"><code>${text}</code></pre>
</div>
`,
)}</section>`;
}

function instructionsHtml(text: string): Html {
  if (text.trim() === "")
    return html`<section class="card"><h2>Instructions</h2><p class="soft">This skill has no instructions.</p></section>`;
  const { content, isCut } = markdownHtml(text);
  return html`<section class="card"><h2>Instructions</h2>
<div dir="auto">${content}</div>
${isCut ? html`<p class="soft">The rest is in SKILL.md.</p>` : null}</section>`;
}

function factsHtml({ entry, record, declared, dependencies, archive }: CatalogSkill, isSigned: boolean): Html {
  const rows: [string, Html | null][] = [
    ["Version", html`${plain(entry.label ?? `${entry.number}`)}, ${day(record.updatedAt)}`],
    ["Author", record.author === null ? null : plain(record.author)],
    ["License", declared.manifest.license === undefined ? null : plain(declared.manifest.license)],
    ["Size", html`${bytes(record.zipSize)}, ${figure(record.tokensInstructions)} tokens when loaded`],
    ["Categories", entry.tags.length === 0 ? null : tagsHtml(entry.tags)],
    ["Requires", dependencies.length === 0 ? null : dependenciesHtml(dependencies)],
    ["Built by", record.provenance === null ? null : provenanceHtml(record.provenance)],
    ["Source", record.source === null ? null : sourceHtml(record.source)],
    ["SHA-256", html`<code>${record.zipSha256}</code>`],
    [
      "Statement",
      archive === null || !isSigned
        ? null
        : html`<a href="${statementPath(entry.name, archive)}">Signed statement</a> of this gateway about the version`,
    ],
  ];
  return html`<section class="card"><h2>About</h2><dl>
${rows.flatMap(([term, value]) => (value === null ? [] : [html`<dt>${term}</dt><dd>${value}</dd>\n`]))}</dl></section>`;
}

function tagsHtml(tags: readonly string[]): Html {
  const shown = tags.slice(0, COMPAT_LIMITS.catalogTags);
  return html`<ul class="tags">${shown.map(
    (tag) => html`<li><a href="${listPath({ tag: tag.trim().toLowerCase() })}">${plain(tag)}</a></li>\n`,
  )}</ul>`;
}

function dependenciesHtml(entries: readonly OpenEntry[]): Html {
  return html`<ul class="tags">${entries.map(
    ({ name }) => html`<li><a href="${skillPath(name)}">${plain(name)}</a></li>\n`,
  )}</ul>`;
}

/** The issuer of the CI job has signed these values. */
function provenanceHtml({ repository, subject, workflow, ref, commit, issuer, run_url: run }: Provenance): Html {
  const parts = [workflow, ref, commit?.slice(0, COMMIT_CHARS), URL.parse(issuer)?.host].filter(
    (part) => part !== undefined && part !== "",
  );
  const isWeb = run !== undefined && /^https?:\/\//.test(run);
  return html`${plain(repository ?? subject)}<br><span class="soft small">${plain(parts.join(" · "))}</span>${
    isWeb ? html`<br><a href="${run}" rel="nofollow noopener noreferrer">CI run</a>` : null
  }`;
}

/** The publisher stated this. The gateway has not checked it. */
function sourceHtml({ type, url, server, path, ref, commit }: SkillSource): Html {
  const parts = [path, ref, commit?.slice(0, COMMIT_CHARS)].filter((part) => part !== undefined && part !== "");
  const from = type === "mcp" ? html`MCP server ${plain(server ?? "")}` : plain(url);
  return html`${from}<br><span class="soft small">${plain(["as stated by the publisher", ...parts].join(" · "))}</span>`;
}

function permissionsHtml({ permissions }: CatalogSkill): Html {
  const { scripts, servers } = permissions;
  const rows: [string, string][] = [
    ["Runs code", permissions.runs_code ? "yes" : "no"],
    ["Scripts", listed(scripts.map(({ path }) => path))],
    ["Own tools", listed(permissions.tools)],
    ["MCP servers", listed(servers.map(({ name, host, command }) => `${name} (${host ?? command ?? "?"})`))],
    ["Hosts called by code", listed(permissions.network)],
    ["Variables", listed([...permissions.env, ...permissions.secrets, ...permissions.variables])],
    ["Commands", listed(permissions.commands)],
    ["Asks the user", permissions.asks_pages ? "yes" : "no"],
  ];
  const shown = rows.filter(
    ([what, value]) => value !== "none" || what === "MCP servers" || what === "Hosts called by code",
  );
  return html`<section class="card"><h2>Permissions</h2><dl>
${shown.map(([what, value]) => html`<dt>${what}</dt><dd>${plain(value)}</dd>\n`)}</dl></section>`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, COMPAT_LIMITS.catalogTags);
  const more = names.length > shown.length ? [`${names.length - shown.length} more`] : [];
  return names.length === 0 ? "none" : [...shown, ...more].join(", ");
}

function versionsHtml({ versions }: CatalogSkill): Html {
  return html`<section class="card"><h2>Versions</h2><ul>
${versions.map(({ label, number, createdAt }) => html`<li>${plain(label ?? `${number}`)} <span class="soft">${day(createdAt)}</span></li>\n`)}</ul>${
    versions.length === COMPAT_LIMITS.catalogVersions
      ? html`<p class="soft small">Older versions are not listed.</p>`
      : null
  }</section>`;
}

function reviewsHtml({ entry, reviews }: CatalogSkill): Html {
  const { count, average } = entry.rating;
  if (average === null)
    return html`<section class="card"><h2>Ratings</h2><p class="soft">Nobody has rated this skill yet.</p></section>`;
  return html`<section class="card"><h2>Ratings</h2>
<p>${starsHtml(entry.rating)} <span class="soft">Users of this gateway rate skills that they have used.</span></p>
${reviews.map(reviewHtml)}${count > reviews.length ? html`<p class="soft small">Ratings without a comment and older ones are not listed.</p>` : null}</section>`;
}

/** A rating without its user. */
function reviewHtml({ stars, comment, label, updatedAt, answer }: RatingRow): Html {
  return html`<article class="review">
<div class="facts">${starsOf(stars)}${day(updatedAt)}${label === null ? null : html`<span>Version ${plain(label)}</span>`}</div>
${comment === null ? null : html`<p class="lines" dir="auto">${plain(comment)}</p>`}
${answer === null ? null : html`<blockquote><strong>Answer of the author</strong><p class="lines" dir="auto">${plain(answer)}</p></blockquote>`}
</article>
`;
}

function starsOf(stars: number): Html {
  return html`<span class="stars" role="img" aria-label="${stars} of 5 stars">${"★".repeat(stars)}${"☆".repeat(5 - stars)}</span>`;
}

function filesHtml({ entry, declared, archive }: CatalogSkill): Html {
  const shown = declared.files.slice(0, COMPAT_LIMITS.catalogFiles);
  const nameHtml = (path: string) =>
    archive === null ? plain(path) : html`<a href="${filePath(entry.name, path)}" rel="nofollow">${plain(path)}</a>`;
  return html`<section class="card"><h2>Files</h2><div class="scrolls" tabindex="0"><table>
<thead><tr><th scope="col">Path</th><th scope="col">Size</th></tr></thead>
<tbody>
${shown.map(({ path, size }) => html`<tr><td>${nameHtml(path)}</td><td>${bytes(size)}</td></tr>\n`)}</tbody></table></div>${
    declared.files.length > shown.length
      ? html`<p class="soft">${declared.files.length - shown.length} more files.</p>`
      : null
  }</section>`;
}

const INDEX = "/.well-known/agent-skills";
const zipPath = (name: string, sha256: string) => `${INDEX}/-/${name}/${sha256}.zip`;
const statementPath = (name: string, sha256: string) => `${INDEX}/-/${name}/${sha256}.json`;
const filePath = (name: string, path: string) =>
  `/.well-known/skills/${name}/${path.split("/").map(encodeURIComponent).join("/")}`;

function day(at: number): Html {
  const date = new Date(at).toISOString().slice(0, 10);
  return html`<time datetime="${date}">${date}</time>`;
}

function bytes(size: number): string {
  if (size < 1_024) return `${size} B`;
  return size < 1_048_576 ? `${(size / 1_024).toFixed(1)} KiB` : `${(size / 1_048_576).toFixed(1)} MiB`;
}
