// Reads everything a conversation's view consists of in one round trip. The statements themselves resolve what a stored ghost selects.

import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { PUBLIC_SCOPE, userScope } from "../../domain/access/access";
import type { GhostSpec } from "../../domain/catalog/ghost";
import {
  type CatalogRow,
  contentsIn,
  countedNames,
  currentContents,
  distinctRows,
  fits,
  level1,
  type VersionContent,
  valuesOf,
  wantedRows,
} from "./catalog";
import type { Database } from "./database";
import { gatewayServers } from "./mcp-servers";
import { type CandidateRow, candidateRows } from "./registry/rollouts";
import { ghosts, skills, versions } from "./schema/registry";
import { searchStatement } from "./search";
import { type EveryServer, serversOfScopes } from "./servers/user-servers";
import { skillOrder } from "./skill-use";
import { yankedRows } from "./versions";

const resolvedSchema = z.array(z.object({ name: z.string(), skill_id: z.string() }));

/** A ghost with the ids its skills resolved to. */
export interface FoundGhost {
  id: string;
  name: string;
  scope: string;
  spec: GhostSpec;
  resolved: z.infer<typeof resolvedSchema>;
}

/** The parameters of a view. */
export interface ViewQuery {
  userId: string;
  /** All visible scopes, first wins. */
  scopes: readonly string[];
  shell: string;
  /** A stored ghost by id or name, which selects its own skills; `null`: none. */
  ghost: string | null;
  /** Whether all skills are requested (by the ghost, if there is one). `false` also if only an allow-list applies. */
  all: boolean;
  /** Further requested skills by name, and those of them at any version. */
  names: readonly string[];
  older: readonly string[];
  /** Maximum per scope. */
  limit: number;
  /** The day whose shared order applies. */
  day: number;
  /** Versions to check for yanks. */
  versions: readonly string[];
  /**
   * Names whose current content is requested, in addition to the ghost's preloads, and versions whose content is already cached; `null`:
   * none.
   */
  contents: { names: readonly string[]; known: readonly string[] } | null;
}

export interface ViewRows {
  /** `null` if it does not exist. */
  ghost: FoundGhost | null;
  /** The gateway's servers and those of the caller's scopes. */
  servers: EveryServer;
  /** Ids of public skills, most used first. */
  order: string[];
  /** The first skills of each scope by name, and those of the shared order, at their current versions. */
  start: CatalogRow[];
  /** Number of distinct names in all scopes, and the tokens of their instructions. */
  total: number;
  tokens: number;
  /** The skills requested by name or by the ghost's ids. */
  named: CatalogRow[];
  /** The yanked ones among the checked versions. */
  yanked: Set<string>;
  /** By version id. */
  contents: Map<string, VersionContent>;
  /** Candidates of rollouts that the shell can use. */
  candidates: CandidateRow[];
}

export async function readViewRows(db: Database, asked: ViewQuery): Promise<ViewRows> {
  const { scopes, shell, limit, day, ghost } = asked;
  const from = ghost === null ? null : new Chosen(ghost, asked.userId, scopes);
  const order = sql`SELECT skill_ids FROM skill_orders WHERE day <= ${day} ORDER BY day DESC LIMIT 1`;
  const names = union(valuesOf(asked.names), from?.names);
  const listed = asked.all ? scopes : [];
  const shown = listed.includes(PUBLIC_SCOPE) ? [ofScope(PUBLIC_SCOPE, from)] : [];
  const [found, gateway, own, orders, yanked, byName, byId, contents, [counted], candidates, ...walks] = await db.batch(
    [
      ghostRows(db, from),
      gatewayServers(db),
      serversOfScopes(db, scopes),
      skillOrder(db, day),
      yankedRows(db, asked.versions),
      ...wantedRows(db, shell, {
        scopes: valuesOf(scopes),
        names,
        older: union(valuesOf(asked.older), from?.older),
        ids: from === null ? valuesOf([]) : from.ids,
      }),
      currentContents(
        db,
        asked.contents === null ? [] : scopes,
        union(valuesOf(asked.contents?.names ?? []), from?.preload),
        asked.contents?.known ?? [],
      ),
      countedNames(db, shell, from === null ? valuesOf(listed) : from.scopesIn(listed)),
      candidateRows(db, scopes, shell),
      ...shown.map((scope) =>
        db
          .select(level1)
          .from(skills)
          .innerJoin(versions, eq(versions.id, skills.versionId))
          // The unary plus prevents SQLite from reading the whole scope.
          .where(
            and(
              sql`${skills.id} IN (SELECT value FROM json_each((${order})) WHERE ${scope} IS NOT NULL)`,
              sql`+${skills.scope} = ${scope}`,
              fits(shell, skills.bindShells),
            ),
          ),
      ),
      ...listed.map((scope) =>
        db
          .select(level1)
          .from(skills)
          .innerJoin(versions, eq(versions.id, skills.versionId))
          .where(and(sql`${skills.scope} = ${ofScope(scope, from)}`, fits(shell, skills.bindShells)))
          .orderBy(skills.name)
          .limit(limit),
      ),
    ],
  );
  // A skill of the shared order can also be among the first by name.
  const start = new Map(walks.flat().map((row) => [row.skill_id, row]));
  return {
    ghost: found[0] ?? null,
    servers: { gateway, own },
    order: orders[0]?.skillIds ?? [],
    start: [...start.values()],
    total: counted?.total ?? 0,
    tokens: counted?.tokens ?? 0,
    named: distinctRows(byName, byId),
    yanked: new Set(yanked.map(({ id }) => id)),
    contents: contentsIn(contents),
    candidates,
  };
}

/**
 * Returns a ghost of these scopes by id or name, or `null`.
 *
 * @param scopes first wins if several have a ghost with this name
 */
export async function readGhost(db: Database, scopes: readonly string[], ghost: string): Promise<FoundGhost | null> {
  const [found] = await ghostRows(db, new Chosen(ghost, "", scopes));
  return found ?? null;
}

/** SQL: the ghost exists. */
export function isGhostThere(scopes: readonly string[], ghost: string): SQL<number> {
  return sql<number>`EXISTS (SELECT 1 FROM ${new Chosen(ghost, "", scopes).row})`;
}

/** A search result with its catalog row, and whether the shell can use it. */
export type FoundRow = CatalogRow & { fits: boolean };

/** Returns the best matches in these scopes with their rows, best first, in one round trip. Otherwise as `searchSkills`. */
export async function searchRows(
  db: Database,
  scopes: readonly string[],
  shell: string,
  query: string,
  limit: number,
): Promise<FoundRow[]> {
  const hits = searchStatement(scopes, query, limit);
  if (hits === null) return [];
  return db
    .select({ ...level1, fits: sql<number>`${fits(shell, versions.bindShells)}`.mapWith(Boolean).as("found_fits") })
    .from(sql`(${hits}) AS hits`)
    .crossJoin(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(sql`${skills.id} = hits.id`)
    .orderBy(sql`hits.rank`);
}

/** SQL about the ghost that a conversation selects. */
class Chosen {
  /** The ghost as table `chosen`; no row if it does not exist. */
  readonly row: SQL;
  readonly #own: string;

  constructor(ghost: string, userId: string, scopes: readonly string[]) {
    const ranked = JSON.stringify(scopes);
    const scopesIn = sql`(SELECT value FROM json_each(${ranked}))`;
    this.#own = userScope(userId);
    // Two queries, each along its own index. The unary plus prevents SQLite from reading whole scopes.
    this.row = sql`(SELECT id, name, scope, spec FROM ghosts
      WHERE (id = ${ghost} OR (scope IN ${scopesIn} AND name = ${ghost})) AND +scope IN ${scopesIn}
      ORDER BY id = ${ghost} DESC, (SELECT key FROM json_each(${ranked}) WHERE value = ghosts.scope), created_at
      LIMIT 1) AS chosen`;
  }

  /** The names it selects, without their ranges. */
  get names(): SQL {
    const keys = (field: string) => sql`SELECT key FROM ${this.row}, json_each(chosen.spec, ${field})`;
    return sql`SELECT ${WRITTEN} FROM ${this.row}, json_each(chosen.spec, '$.skills') AS written
      UNION ALL ${this.preload} UNION ALL ${keys("$.skill_refs")} UNION ALL ${keys("$.preload_skill_refs")}`;
  }

  get older(): SQL {
    return sql`SELECT ${WRITTEN} FROM ${this.row}, json_each(chosen.spec, '$.skills') AS written WHERE instr(written.value, '@') > 0`;
  }

  get preload(): SQL {
    return sql`SELECT value FROM ${this.row}, json_each(chosen.spec, '$.preload_skills')`;
  }

  get ids(): SQL {
    return sql`SELECT skill_id FROM ghost_skills WHERE ghost_id = (SELECT id FROM ${this.row})`;
  }

  /** The scopes that all its skills come from; none if it does not select all skills. */
  scopesIn(scopes: readonly string[]): SQL {
    return sql`SELECT place.value FROM ${this.row}, json_each(chosen.spec, '$.skills') AS written, json_each(${JSON.stringify(scopes)}) AS place
      WHERE written.value = '*' AND (chosen.scope = ${this.#own} OR place.value IN (chosen.scope, ${PUBLIC_SCOPE}))`;
  }
}

const WRITTEN = sql.raw("substr(written.value, 1, instr(written.value || '@', '@') - 1)");

/** SQL: a scope, or NULL if the ghost does not select all of it, so that nothing is read. */
function ofScope(scope: string, chosen: Chosen | null): SQL {
  return chosen === null ? sql`${scope}` : sql`(${chosen.scopesIn([scope])} LIMIT 1)`;
}

function union(first: SQL, second: SQL | undefined): SQL {
  return second === undefined ? first : sql`${first} UNION ALL ${second}`;
}

function ghostRows(db: Database, chosen: Chosen | null) {
  return db
    .select({
      id: sql<string>`chosen.id`.as("ghost_id"),
      name: sql<string>`chosen.name`.as("ghost_name"),
      scope: sql<string>`chosen.scope`.as("ghost_scope"),
      spec: sql`chosen.spec`.mapWith(ghosts.spec).as("ghost_spec"),
      resolved: sql`(SELECT json_group_array(json_object('name', own.name, 'skill_id', own.skill_id))
        FROM (SELECT name, skill_id FROM ghost_skills WHERE ghost_id = chosen.id ORDER BY position) AS own)`
        .mapWith((text: string) => resolvedSchema.parse(JSON.parse(text)))
        .as("ghost_resolved"),
    })
    .from(chosen?.row ?? sql`(SELECT 1 AS id, 1 AS name, 1 AS scope, 1 AS spec LIMIT 0) AS chosen`);
}
