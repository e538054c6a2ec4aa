// Schemas of quota use for users and groups.

import * as z from "../../edge/zod";

export const shareSchema = () => z.object({ used: z.int(), limit: z.int() });

/** Use and limits of a scope's skills and ghosts. The names are those in quota errors. */
export const scopeSharesSchema = () =>
  z.object({
    skills: shareSchema(),
    versions: shareSchema(),
    bytes: shareSchema(),
    databaseBytes: shareSchema(),
    ghosts: shareSchema(),
  });
