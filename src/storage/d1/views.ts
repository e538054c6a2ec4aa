// All that a conversation's view is made of, in one round trip: what a stored ghost selects is worked out by the statements themselves.

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
import { ghosts, skills, versions } from "./schema/registry";
import { searchStatement } from "./search";
import { type EveryServer, serversOfScopes } from "./servers/user-servers";
import { skillOrder } from "./skill-use";
import { yankedRows } from "./versions";

const resolvedSchema = z.array(z.object({ name: z.string(), skill_id: z.string() }));

/** A ghost with the ids that its skills were resolved to. */
export interface FoundGhost {
  id: string;
  name: string;
  scope: string;
  spec: GhostSpec;
  resolved: z.infer<typeof resolvedSchema>;
}

/** What a view asks for. */
export interface ViewQuery {
  userId: string;
  /** All that the caller sees, first wins. */
  scopes: readonly string[];
  shell: string;
  /** A stored ghost by id or name, which selects skills of its own; `null`: there is none. */
  ghost: string | null;
  /** Whether all skills are wanted: if the ghost says so, where there is one. `false` also where only an allow-list counts. */
  all: boolean;
  /** Skills that are wanted by name, besides the ghost's, and those of them at any version. */
  names: readonly string[];
  older: readonly string[];
  /** How many of each scope. */
  limit: number;
  /** The day whose shared order counts. */
  day: number;
  /** Versions that may have been yanked. */
  versions: readonly string[];
  /** Names whose current content is wanted, besides what the ghost preloads, and versions whose content is known; `null`: none. */
  contents: { names: readonly string[]; known: readonly string[] } | null;
}

export interface ViewRows {
  /** `null` when there is none. */
  ghost: FoundGhost | null;
  /** The gateway's servers, and those of the caller's scopes. */
  servers: EveryServer;
  /** Ids of public skills, those first that are used most. */
  order: string[];
  /** The first skills by name of each scope, and those of the order, at their current versions. */
  start: CatalogRow[];
  /** Skills in all scopes together, one name counted once, and the tokens of their instructions. */
  total: number;
  tokens: number;
  /** The skills that are wanted by name, or by the ids of the ghost. */
  named: CatalogRow[];
  /** Which of the versions were yanked. */
  yanked: Set<string>;
  /** By version id. */
  contents: Map<string, VersionContent>;
}

export async function readViewRows(db: Database, asked: ViewQuery): Promise<ViewRows> {
  const { scopes, shell, limit, day, ghost } = asked;
  const from = ghost === null ? null : new Chosen(ghost, asked.userId, scopes);
  const order = sql`SELECT skill_ids FROM skill_orders WHERE day <= ${day} ORDER BY day DESC LIMIT 1`;
  const names = union(valuesOf(asked.names), from?.names);
  const listed = asked.all ? scopes : [];
  const shown = listed.includes(PUBLIC_SCOPE) ? [ofScope(PUBLIC_SCOPE, from)] : [];
  const [found, gateway, own, orders, yanked, byName, byId, contents, [counted], ...walks] = await db.batch([
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
    ...shown.map((scope) =>
      db
        .select(level1)
        .from(skills)
        .innerJoin(versions, eq(versions.id, skills.versionId))
        // The plus keeps the scope from being walked whole.
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
  ]);
  // One that is used may also be among the first by name.
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
  };
}

/**
 * A ghost of these scopes by id or name; `null` when there is none.
 *
 * @param scopes first wins where several have one of this name
 */
export async function readGhost(db: Database, scopes: readonly string[], ghost: string): Promise<FoundGhost | null> {
  const [found] = await ghostRows(db, new Chosen(ghost, "", scopes));
  return found ?? null;
}

/** SQL: whether there is such a ghost. */
export function isGhostThere(scopes: readonly string[], ghost: string): SQL<number> {
  return sql<number>`EXISTS (SELECT 1 FROM ${new Chosen(ghost, "", scopes).row})`;
}

/** A hit of a search with its row, and whether its shell may use it. */
export type FoundRow = CatalogRow & { fits: boolean };

/** The best matches among these scopes with their rows, best first, in one round trip. As `searchSkills` otherwise. */
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

/** SQL about the ghost that a conversation names, whichever it is. */
class Chosen {
  /** The ghost, as `chosen`: no row where there is none. */
  readonly row: SQL;
  readonly #own: string;

  constructor(ghost: string, userId: string, scopes: readonly string[]) {
    const ranked = JSON.stringify(scopes);
    const scopesIn = sql`(SELECT value FROM json_each(${ranked}))`;
    this.#own = userScope(userId);
    // Said twice, for each of the two a walk along its own index: the plus keeps the scopes from being walked whole.
    this.row = sql`(SELECT id, name, scope, spec FROM ghosts
      WHERE (id = ${ghost} OR (scope IN ${scopesIn} AND name = ${ghost})) AND +scope IN ${scopesIn}
      ORDER BY id = ${ghost} DESC, (SELECT key FROM json_each(${ranked}) WHERE value = ghosts.scope), created_at
      LIMIT 1) AS chosen`;
  }

  /** Names that it may mean, as they are written up to their range. */
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

  /** Those of these scopes that all its skills come from; none where it does not take all. */
  scopesIn(scopes: readonly string[]): SQL {
    return sql`SELECT place.value FROM ${this.row}, json_each(chosen.spec, '$.skills') AS written, json_each(${JSON.stringify(scopes)}) AS place
      WHERE written.value = '*' AND (chosen.scope = ${this.#own} OR place.value IN (chosen.scope, ${PUBLIC_SCOPE}))`;
  }
}

const WRITTEN = sql.raw("substr(written.value, 1, instr(written.value || '@', '@') - 1)");

/** SQL: a scope, or NULL where the ghost does not take all of it: then nothing is walked. */
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
