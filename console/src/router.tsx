// Defines the routes. Every page except the shell is loaded when it is first opened. The URL contains the state of a page.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { Broken, Layout, NotFound } from "./shell/layout";
import { VIEWS, type View } from "./views";

/** Search parameters of an address. All values are text: `?q=1` is the text "1". */
type Words = Record<string, unknown>;
const word = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: Broken });

interface OverviewSearch {
  days?: string;
  q?: string;
  from?: string;
}

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search: Words): OverviewSearch => words("days", "q", "from")(search),
  // The list of skills had this address before.
  beforeLoad: ({ search }: { search: OverviewSearch }): void => {
    const { days: _, ...list } = search;
    if (Object.keys(list).length > 0) throw redirect({ to: "/skills", search: list, replace: true });
  },
  component: lazyRouteComponent(() => import("./overview/overview"), "Overview"),
});

const library = createRoute({
  getParentRoute: () => root,
  path: "/skills",
  validateSearch: words("q", "from", "has", "tag", "sort"),
  component: lazyRouteComponent(() => import("./library/list"), "Library"),
});

const skill = createRoute({
  getParentRoute: () => root,
  path: "/skills/$id",
  validateSearch: ({
    view,
    version,
    base,
    file,
    cursor,
  }: Words): { view?: View; version?: string; base?: string; file?: string; cursor?: string } => {
    const known = VIEWS.find((name) => name === view);
    return {
      ...(known === undefined ? {} : { view: known }),
      ...withWord("version", version),
      ...withWord("base", base),
      ...withWord("file", file),
      ...withWord("cursor", cursor),
    };
  },
  component: lazyRouteComponent(() => import("./library/skill"), "SkillPage"),
});

const editSkill = createRoute({
  getParentRoute: () => root,
  path: "/skills/$id/edit",
  component: lazyRouteComponent(() => import("./library/edit"), "EditSkill"),
});

const publish = createRoute({
  getParentRoute: () => root,
  path: "/publish",
  component: lazyRouteComponent(() => import("./publish/publish"), "Publish"),
});

const ghosts = createRoute({
  getParentRoute: () => root,
  path: "/ghosts",
  validateSearch: words("q", "from", "cursor"),
  component: lazyRouteComponent(() => import("./compose/list"), "Ghosts"),
});

const newGhost = createRoute({
  getParentRoute: () => root,
  path: "/ghosts/new",
  validateSearch: ({ from }: Words): { from?: string } => withWord("from", from),
  component: lazyRouteComponent(() => import("./compose/ghost"), "NewGhost"),
});

const ghost = createRoute({
  getParentRoute: () => root,
  path: "/ghosts/$id",
  component: lazyRouteComponent(() => import("./compose/ghost"), "GhostPage"),
});

const servers = createRoute({
  getParentRoute: () => root,
  path: "/servers",
  component: lazyRouteComponent(() => import("./operate/servers"), "Servers"),
});

const connections = createRoute({
  getParentRoute: () => root,
  path: "/connections",
  validateSearch: words("cursor"),
  component: lazyRouteComponent(() => import("./operate/connections"), "Connections"),
});

const drafts = createRoute({
  getParentRoute: () => root,
  path: "/drafts",
  component: lazyRouteComponent(() => import("./library/drafts"), "DraftList"),
});

const conversations = createRoute({
  getParentRoute: () => root,
  path: "/conversations",
  validateSearch: words("q", "agent", "skill", "state", "days", "cursor"),
  component: lazyRouteComponent(() => import("./operate/conversations"), "Conversations"),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: "/insights",
  validateSearch: words("days"),
  component: lazyRouteComponent(() => import("./insights/insights"), "Insights"),
});

const review = createRoute({
  getParentRoute: () => root,
  path: "/review",
  validateSearch: words("show", "cursor"),
  component: lazyRouteComponent(() => import("./review/list"), "ReviewList"),
});

const submission = createRoute({
  getParentRoute: () => root,
  path: "/review/$id",
  validateSearch: words("file"),
  component: lazyRouteComponent(() => import("./review/detail"), "ReviewDetail"),
});

const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: words("of", "cursor", "new"),
  component: lazyRouteComponent(() => import("./operate/models"), "Models"),
});

const secrets = createRoute({
  getParentRoute: () => root,
  path: "/secrets",
  validateSearch: words("of", "cursor", "new"),
  component: lazyRouteComponent(() => import("./operate/secrets"), "Secrets"),
});

const publishers = createRoute({
  getParentRoute: () => root,
  path: "/publishers",
  validateSearch: words("of", "cursor"),
  component: lazyRouteComponent(() => import("./operate/publishers"), "Publishers"),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: "/webhooks",
  validateSearch: words("of", "new"),
  component: lazyRouteComponent(() => import("./operate/webhooks"), "Webhooks"),
});

const webhook = createRoute({
  getParentRoute: () => root,
  path: "/webhooks/$name",
  validateSearch: words("of", "cursor"),
  component: lazyRouteComponent(() => import("./operate/webhook"), "WebhookPage"),
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: words("cursor"),
  component: lazyRouteComponent(() => import("./operate/sessions"), "Sessions"),
});

const grants = createRoute({
  getParentRoute: () => root,
  path: "/grants",
  validateSearch: words("cursor"),
  component: lazyRouteComponent(() => import("./operate/grants"), "Grants"),
});

const groups = createRoute({
  getParentRoute: () => root,
  path: "/groups",
  validateSearch: words("cursor", "new"),
  component: lazyRouteComponent(() => import("./groups/groups"), "Groups"),
});

const group = createRoute({
  getParentRoute: () => root,
  path: "/groups/$name",
  validateSearch: words("cursor"),
  component: lazyRouteComponent(() => import("./groups/group"), "GroupPage"),
});

const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  validateSearch: words("cursor"),
  component: lazyRouteComponent(() => import("./operate/users"), "Users"),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: "/keys",
  validateSearch: words("cursor", "new"),
  component: lazyRouteComponent(() => import("./operate/keys"), "Keys"),
});

const limits = createRoute({
  getParentRoute: () => root,
  path: "/limits",
  component: lazyRouteComponent(() => import("./operate/limits"), "Limits"),
});

const health = createRoute({
  getParentRoute: () => root,
  path: "/health",
  component: lazyRouteComponent(() => import("./operate/health"), "HealthPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: words("actor", "action", "type", "id", "since", "until", "cursor"),
  component: lazyRouteComponent(() => import("./operate/audit"), "Audit"),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: words("state", "cursor"),
  component: lazyRouteComponent(() => import("./operate/reports"), "Reports"),
});

const tryIt = createRoute({
  getParentRoute: () => root,
  path: "/try",
  validateSearch: words("c", "skill", "tool", "ghost", "at"),
  component: lazyRouteComponent(() => import("./try/try"), "TryIt"),
});

const conversation = createRoute({
  getParentRoute: () => root,
  path: "/conversations/$id",
  validateSearch: words("at"),
  component: lazyRouteComponent(() => import("./conversation/conversation"), "ConversationPage"),
});

/** Reads only these search parameters. */
function words<Field extends string>(...fields: Field[]) {
  return (search: Words): { [F in Field]?: string } =>
    Object.assign({}, ...fields.map((field) => withWord(field, search[field])));
}

function withWord<Field extends string>(field: Field, value: unknown): { [F in Field]?: string } {
  const text = word(value);
  return (text === undefined ? {} : { [field]: text }) as { [F in Field]?: string };
}

export const router = createRouter({
  routeTree: root.addChildren([
    ...[
      overview,
      library,
      skill,
      editSkill,
      publish,
      drafts,
      tryIt,
      conversations,
      conversation,
      insights,
      review,
      submission,
      ghosts,
      newGhost,
      ghost,
    ],
    ...[
      servers,
      connections,
      models,
      secrets,
      keys,
      webhooks,
      webhook,
      sessions,
      grants,
      groups,
      group,
      limits,
      health,
    ],
    ...[users, audit, reports, publishers],
  ]),
  basepath: "/console",
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const words = Object.entries(search).flatMap(([field, value]) =>
      word(value) === undefined ? [] : [[field, String(value)]],
    );
    return words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
  },
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
