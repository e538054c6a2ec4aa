// Starts the console: one query client for requests to the gateway, and one router for the pages.

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { Refusal } from "./gateway/refusal";
import { checkSession, followTabs } from "./gateway/session";
import { router } from "./router";
import { LOCALE } from "./text/language";

const onError = (error: Error) => {
  if (error instanceof Refusal && error.status === 401) void checkSession(client, error);
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // Errors of the gateway are final. Only requests without a response and server errors are repeated.
      retry: (count, error) => count < 2 && error instanceof Refusal && (error.status === 0 || error.status >= 500),
      staleTime: 5_000,
    },
  },
});

followTabs(client);

// A page from the browser's back/forward cache would show data from before a sign-out.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

document.documentElement.lang = LOCALE;

const place = document.getElementById("console");
if (place === null) throw new Error("The page has no place for the console.");
createRoot(place).render(
  <StrictMode>
    <I18nProvider locale={LOCALE}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
