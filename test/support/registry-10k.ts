// Writes 10 000 public skills, and 200 of one user, directly into the tables.

import { env } from "cloudflare:workers";
import { scopeToken } from "../../src/domain/catalog/search";

export const BIG_USER = "big";
export const PUBLIC_SKILLS = 10_000;
export const OWN_SKILLS = 200;

/** Every fiftieth public skill is shadowed by one of the user's own. */
export async function seedManySkills(): Promise<void> {
  await env.DB.batch([...seed("public", "0", PUBLIC_SKILLS, 1), ...seed(`user:${BIG_USER}`, BIG_USER, OWN_SKILLS, 50)]);
}

function seed(scope: string, userId: string, count: number, step: number): D1PreparedStatement[] {
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`;
  const name = `'skill-' || substr('00000' || (n * ${step}), -5)`;
  const id = `'${userId}-' || n`;
  const token = scopeToken(scope);
  return [
    `${numbers} INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
     SELECT 'skl_' || ${id}, '${scope}', ${name}, ${name}, 'default', '${userId}', 'ver_' || ${id}, 1 FROM numbers`,
    `${numbers} INSERT INTO versions (id, skill_id, label, digest, description, tags, dependencies, has_capabilities,
       tokens_description, tokens_line, tokens_instructions, tokens_files, zip_sha256, zip_size, upload_sha256, warnings,
       created_by, started_at, manifest, frontmatter, files, instructions)
     SELECT 'ver_' || ${id}, 'skl_' || ${id}, '1.0.0', 'digest-' || n, 'Common words and number' || n, '[]', '[]', 0,
       1, 1, 1, 1, 'z', 1, 'u', '[]', '${userId}', unixepoch() * 1000,
       '{"description":"d","tags":[],"config":{},"tools":[],"mcpServers":{},"dependencies":[],"preload":false,"metadata":{},"allowedTools":[]}',
       '{}', '[]', 'Instructions ' || n FROM numbers`,
    `${numbers} INSERT INTO skill_search (rowid, scope, name, description, tags)
     SELECT seq, '${token}', replace(name, '-', ' '), 'common words and number' || substr(id, ${6 + userId.length}), ''
     FROM skills WHERE scope = '${scope}'`.replace(numbers, ""),
  ].map((sql) => env.DB.prepare(sql));
}
