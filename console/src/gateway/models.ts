// Queries the names of the models that the user can request, as the chat endpoint lists them.

import { queryOptions } from "@tanstack/react-query";
import { ask } from "./call";

/** Excludes ghosts, which the endpoint also lists as models. Fails if the user has no access to the chat endpoint. */
export const modelNames = queryOptions({
  queryKey: ["model-names"],
  staleTime: 60_000,
  retry: false,
  queryFn: async ({ signal }): Promise<string[]> => {
    const answer = await ask("/openai/v1/models", { signal });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id).filter((id) => !id.startsWith("ghost/"));
  },
});
