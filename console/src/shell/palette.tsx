// The command palette: finds pages, actions, skills, agents, MCP servers and conversations by a part of their name.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type NavigateOptions, useNavigate } from "@tanstack/react-router";
import { Bot, KeyRound, type LucideIcon, MessagesSquare, Plus, Puzzle, Search, Server, Upload } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from "react-aria-components";
import { useSettled } from "../compose/settled";
import { slice } from "../gateway/call";
import { ifReadable } from "../gateway/refusal";
import type { Somebody } from "../gateway/session";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { canDefine, canPublish, GROUPS, openTo } from "./places";

interface Entry {
  id: string;
  name: string;
  note?: string;
  icon: LucideIcon;
  go: NavigateOptions;
}

interface Section {
  name: string;
  entries: readonly Entry[];
}

/** The number of results of each kind. */
const FOUND = 5;

export default function Palette({ me, onClose }: { me: Somebody; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const asked = useSettled(text.trim());
  const {
    data: found = [],
    isFetching,
    error,
  } = useQuery({
    queryKey: ["palette", asked],
    enabled: asked !== "",
    queryFn: ({ signal }) => foundFor(asked, signal),
    placeholderData: keepPreviousData,
  });
  const sections = [...fixed(me, text), ...(text.trim() === "" ? [] : found)].filter(
    ({ entries }) => entries.length > 0,
  );
  const entries = new Map(sections.flatMap((section) => section.entries.map((entry) => [entry.id, entry] as const)));
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className="veil palette">
      <Modal className="window">
        <Dialog aria-label={t("Search or jump to")}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={t("Search or jump to")} className="finder" autoFocus>
              <Search size={18} aria-hidden="true" />
              <Input placeholder={t("Search pages, skills, agents, conversations…")} />
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
            <section className="results" aria-label={t("Results")} tabIndex={0}>
              <Menu
                className="menu"
                aria-label={t("Results")}
                onAction={(id) => {
                  const entry = entries.get(String(id));
                  if (entry === undefined) return;
                  onClose();
                  void navigate(entry.go);
                }}
                renderEmptyState={() => (
                  <p className="waiting">
                    {error !== null
                      ? visible(error.message)
                      : isFetching || asked !== text.trim()
                        ? t("Searching…")
                        : t("Nothing found.")}
                  </p>
                )}
              >
                {sections.map(({ name, entries: list }) => (
                  <MenuSection key={name}>
                    <Header>{name}</Header>
                    {list.map(({ id, name: label, note, icon: Icon }) => (
                      <MenuItem key={id} id={id} textValue={visible(label)}>
                        <Icon size={16} aria-hidden="true" />
                        <span className="name">
                          <Plain>{label}</Plain>
                        </span>
                        {note !== undefined && (
                          <span className="soft">
                            <Plain>{note}</Plain>
                          </span>
                        )}
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Returns the pages and actions whose names contain every word of the text. */
function fixed(me: Somebody, text: string): Section[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (entries: readonly Entry[]) =>
    entries.filter(({ name, note = "" }) => words.every((word) => `${name} ${note}`.toLowerCase().includes(word)));
  const pages = GROUPS.flatMap(({ places }) => openTo(places, me)).flatMap(({ icon, to, name, tabs = [] }): Entry[] => {
    const others = openTo(tabs, me).filter((tab) => tab.to !== to && tab.to !== "/publish");
    const first = tabs.find((tab) => tab.to === to)?.name;
    return [
      { id: `page ${to}`, name, icon, go: { to }, ...(first === undefined || first === name ? {} : { note: first }) },
      ...others.map((tab): Entry => ({ id: `page ${tab.to}`, name: tab.name, note: name, icon, go: { to: tab.to } })),
    ];
  });
  const actions: (Entry | false)[] = [
    canPublish(me) && { id: "publish", name: t("Publish a skill"), icon: Upload, go: { to: "/publish" } },
    canDefine(me) && { id: "agent", name: t("Create an agent"), icon: Plus, go: { to: "/ghosts/new" } },
    me.rights.operate && {
      id: "key",
      name: t("Create an API key"),
      icon: KeyRound,
      go: { to: "/keys", search: { new: "1" } },
    },
    { id: "model", name: t("Add a model"), icon: Plus, go: { to: "/models", search: { new: "1" } } },
    { id: "secret", name: t("Store a secret"), icon: Plus, go: { to: "/secrets", search: { new: "1" } } },
    { id: "webhook", name: t("Create a webhook"), icon: Plus, go: { to: "/webhooks", search: { new: "1" } } },
    me.rights.make_groups && {
      id: "group",
      name: t("Create a group"),
      icon: Plus,
      go: { to: "/groups", search: { new: "1" } },
    },
  ];
  return [
    { name: t("Pages"), entries: matching(pages) },
    { name: t("Actions"), entries: matching(actions.filter((action) => action !== false)) },
  ];
}

/** Searches on the gateway. A kind that the user's key cannot read has no results. */
async function foundFor(q: string, signal: AbortSignal): Promise<Section[]> {
  const query = { q, limit: FOUND };
  const none = { items: [], next: null };
  const [skills, agents, servers, conversations] = await Promise.all([
    ifReadable(slice("skills.list", { query }, signal), none),
    ifReadable(slice("ghosts.list", { query }, signal), none),
    ifReadable(slice("servers.usable", { query: { limit: 100 } }, signal), none),
    ifReadable(slice("conversations.list", { query }, signal), none),
  ]);
  return [
    {
      name: t("Skills"),
      entries: skills.items.map(({ metadata: { name, labels }, spec }) => ({
        id: `skill ${labels.id}`,
        name,
        note: spec.description,
        icon: Puzzle,
        go: { to: "/skills/$id", params: { id: labels.id } },
      })),
    },
    {
      name: t("Agents"),
      entries: agents.items.map(({ metadata: { name, labels } }) => ({
        id: `agent ${labels.id}`,
        name,
        icon: Bot,
        go: { to: "/ghosts/$id", params: { id: labels.id } },
      })),
    },
    {
      name: t("MCP servers"),
      entries: servers.items
        .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
        .slice(0, FOUND)
        .map(({ name, scope, group_name = "" }) => ({
          id: `server ${scope} ${group_name} ${name}`,
          name,
          icon: Server,
          go: { to: "/servers" },
        })),
    },
    {
      name: t("Conversations"),
      entries: conversations.items.map(({ id, title }) => ({
        id: `conversation ${id}`,
        name: title ?? id,
        icon: MessagesSquare,
        go: { to: "/conversations/$id", params: { id } },
      })),
    },
  ];
}
