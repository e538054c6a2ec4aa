// How much of a quota is used, as users and groups are told.

import * as z from "../../edge/zod";

export const shareSchema = () => z.object({ used: z.int(), limit: z.int() });

/** What the skills and ghosts of a user or a group are, beside what they may be. The names are those of the refusals. */
export const scopeSharesSchema = () =>
  z.object({
    skills: shareSchema(),
    versions: shareSchema(),
    bytes: shareSchema(),
    databaseBytes: shareSchema(),
    ghosts: shareSchema(),
  });
