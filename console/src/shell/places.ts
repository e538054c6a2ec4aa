// Defines the navigation: groups of pages with their icons, the tabs of a page, and who can see each.

import type { LinkProps } from "@tanstack/react-router";
import {
  Activity,
  Bot,
  ChartColumn,
  ClipboardCheck,
  Cpu,
  KeyRound,
  LayoutDashboard,
  Lock,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Plug,
  Puzzle,
  Server,
  Users,
  Webhook,
} from "lucide-react";
import type { Somebody } from "../gateway/session";
import { t } from "../text/text";

export interface Tab {
  to: NonNullable<LinkProps["to"]>;
  name: string;
  /** Whether the user has access to the page. */
  has?: (me: Somebody) => boolean;
}

export interface Place extends Tab {
  icon: LucideIcon;
  /** Pages that the sidebar shows as part of this one. */
  tabs?: readonly Tab[];
}

export const canPublish = ({ rights }: Somebody): boolean => rights.namespaces.some(({ publish }) => publish);
export const canDefine = ({ rights }: Somebody): boolean => rights.namespaces.some(({ define }) => define);
const operates = ({ rights }: Somebody): boolean => rights.operate;

export const SKILL_TABS: readonly Tab[] = [
  { to: "/skills", name: t("Skills") },
  { to: "/drafts", name: t("Drafts"), has: canPublish },
];
export const SERVER_TABS: readonly Tab[] = [
  { to: "/servers", name: t("MCP servers") },
  { to: "/connections", name: t("Connected servers") },
];
export const KEY_TABS: readonly Tab[] = [
  { to: "/keys", name: t("API keys") },
  { to: "/publishers", name: t("Trusted publishers") },
];
export const PEOPLE_TABS: readonly Tab[] = [
  { to: "/groups", name: t("Groups") },
  { to: "/users", name: t("Users"), has: operates },
];
export const SYSTEM_TABS: readonly Tab[] = [
  { to: "/health", name: t("Health") },
  { to: "/limits", name: t("Limits") },
  { to: "/sessions", name: t("Sessions") },
  { to: "/audit", name: t("Audit log"), has: operates },
  { to: "/reports", name: t("Reports"), has: operates },
];

export const GROUPS: readonly { name: string | null; places: readonly Place[] }[] = [
  {
    name: null,
    places: [
      { to: "/", name: t("Overview"), icon: LayoutDashboard },
      { to: "/try", name: t("Playground"), icon: MessageSquare, has: ({ tries }) => tries },
    ],
  },
  {
    name: t("Build"),
    places: [
      {
        to: "/skills",
        name: t("Skills"),
        icon: Puzzle,
        tabs: [...SKILL_TABS, { to: "/publish", name: t("Publish a skill"), has: canPublish }],
      },
      { to: "/ghosts", name: t("Agents"), icon: Bot },
      { to: "/servers", name: t("MCP servers"), icon: Server, tabs: SERVER_TABS },
      { to: "/models", name: t("Models"), icon: Cpu },
    ],
  },
  {
    name: t("Observe"),
    places: [
      { to: "/conversations", name: t("Conversations"), icon: MessagesSquare },
      { to: "/insights", name: t("Insights"), icon: ChartColumn },
      { to: "/review", name: t("Review"), icon: ClipboardCheck },
    ],
  },
  {
    name: t("Settings"),
    places: [
      { to: "/keys", name: t("API keys"), icon: KeyRound, tabs: KEY_TABS },
      { to: "/secrets", name: t("Secrets"), icon: Lock },
      { to: "/groups", name: t("People and groups"), icon: Users, tabs: PEOPLE_TABS },
      { to: "/grants", name: t("Connected apps"), icon: Plug },
      { to: "/webhooks", name: t("Webhooks"), icon: Webhook },
      { to: "/health", name: t("System"), icon: Activity, tabs: SYSTEM_TABS },
    ],
  },
];

/** The tabs or places that the user can open. */
export const openTo = <T extends Tab>(places: readonly T[], me: Somebody): readonly T[] =>
  places.filter(({ has }) => has?.(me) ?? true);

/** Whether an address without its base belongs to a place or to one of its tabs. */
export const isWithin = ({ to, tabs = [] }: Place, path: string): boolean =>
  [to, ...tabs.map((tab) => tab.to)].some(
    (root) => path === root.replace(/\/$/, "") || (root !== "/" && path.startsWith(`${root}/`)),
  );
