// Lists, renames and deletes the user's own conversations. No other user can see them, including admins.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type AnswerOf, call, type RequestOf, slice } from "../gateway/call";
import { agentNames, named, skillNames } from "../gateway/names";
import { Confirm } from "../parts/confirm";
import { Button, Choice, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible, When } from "../parts/text";
import { rich, t } from "../text/text";

const ROWS = 50;
const DAY_MS = 24 * 60 * 60_000;
const PERIODS: readonly (readonly [days: string, name: string])[] = [
  ["", t("Any time")],
  ["1", t("Today")],
  ["7", t("7 days")],
  ["30", t("30 days")],
];
type State = NonNullable<NonNullable<RequestOf<"conversations.list">["query"]>["state"]>;
const STATES: readonly (readonly [state: State | "", name: string])[] = [
  ["", t("Any state")],
  ["failed", t("With failed calls")],
  ["succeeded", t("Without failed calls")],
  ["unused", t("No turns yet")],
];
const route = getRouteApi("/conversations");
type Talk = AnswerOf<"conversations.list">["items"][number];
const nameOf = ({ title, id }: Talk) => title ?? id;

export function Conversations(): ReactNode {
  const { cursor, ...filter } = route.useSearch();
  const { q, agent, skill, days } = filter;
  const state = STATES.find(([value]) => value === filter.state)?.[0] ?? "";
  const navigate = useNavigate({ from: "/conversations" });
  const set = (field: keyof typeof filter, value: string) =>
    void navigate({
      search: ({ cursor: _, [field]: __, ...others }) => (value === "" ? others : { ...others, [field]: value }),
      replace: true,
    });
  const agents = useQuery(agentNames);
  const skills = useQuery(skillNames);
  const answer = useQuery({
    queryKey: ["conversations", filter, cursor],
    queryFn: ({ signal }) =>
      slice(
        "conversations.list",
        {
          query: {
            limit: ROWS,
            ...(q === undefined ? {} : { q }),
            ...(agent === undefined ? {} : { ghost: agent }),
            ...(skill === undefined ? {} : { skill }),
            ...(state === "" ? {} : { state }),
            ...(days === undefined ? {} : { since: sinceOf(Number(days)) }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  const [asked, ask] = useState<{ act: "rename" | "delete"; talk: Talk } | null>(null);
  const close = () => ask(null);
  return (
    <Page
      title={t("Conversations")}
      lead={t("Your conversations. No other user can read them. Turns and tokens are up to ten minutes old.")}
    >
      <search className="row">
        <Search
          label={t("Search conversations")}
          placeholder={t("Part of the title, agent or id")}
          value={q}
          onSearch={(words) => set("q", words)}
        />
        <Choice
          label={t("Agent")}
          value={agent ?? ""}
          options={[["", t("All agents")], ...named(agents.data ?? [], agent)]}
          onChange={(name) => set("agent", name)}
        />
        <Choice
          label={t("Skill")}
          value={skill ?? ""}
          options={[["", t("All skills")], ...named(skills.data ?? [], skill)]}
          onChange={(name) => set("skill", name)}
        />
        <Choice label={t("State")} value={state} options={STATES} onChange={(value) => set("state", value)} />
        <Choice label={t("Created")} value={days ?? ""} options={PERIODS} onChange={(value) => set("days", value)} />
      </search>
      <Answer of={answer} what={t("the conversations")}>
        {({ items, next }) => (
          <>
            {items.length === 0 ? (
              <Nothing isFirst={Object.keys(filter).length === 0 && cursor === undefined} />
            ) : (
              <Table
                name={t("Conversations")}
                heads={[
                  t("Conversation"),
                  t("Agent"),
                  { num: t("Turns") },
                  t("Last turn"),
                  { num: t("Billed tokens") },
                  t("Created"),
                  "",
                ]}
              >
                {items.map((talk) => (
                  <Row key={talk.id} talk={talk} ask={(act) => ask({ act, talk })} />
                ))}
              </Table>
            )}
            <Pages cursor={cursor} next={next} />
          </>
        )}
      </Answer>
      {asked?.act === "rename" && <Rename talk={asked.talk} onClose={close} />}
      {asked?.act === "delete" && (
        <Confirm
          title={t("Delete {name}?", { name: visible(nameOf(asked.talk)) })}
          button={t("Delete")}
          done={t("Conversation deleted.")}
          act={() => call("conversations.delete", { path: { id: asked.talk.id } })}
          onClose={close}
        >
          {t("Its turns, results, files and questions are deleted. You cannot undo this.")}
        </Confirm>
      )}
    </Page>
  );
}

/** The beginning of a period that ends now, at midnight UTC. */
const sinceOf = (days: number): string =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - ((days || 1) - 1) * DAY_MS).toISOString();

function Row({ talk, ask }: { talk: Talk; ask: (act: "rename" | "delete") => void }): ReactNode {
  const { id, title, ghost, turns, last_turn_at, tokens, failed_calls: failed, created_at } = talk;
  const name = visible(nameOf(talk));
  return (
    <tr>
      <td className="long">
        <Link to="/conversations/$id" params={{ id }}>
          <Plain>{nameOf(talk)}</Plain>
        </Link>{" "}
        {failed !== null && failed > 0 && (
          <span className="tag bad">{t("{count} failed", { count: figure(failed) })}</span>
        )}
        {title !== null && (
          <div className="soft">
            <Plain>{id}</Plain>
          </div>
        )}
      </td>
      <td>{ghost !== null && <Plain>{ghost}</Plain>}</td>
      <td className="num">{turns === null ? "–" : figure(turns)}</td>
      <td>{turns !== null && <When at={last_turn_at} />}</td>
      <td className="num">{tokens === null ? "–" : figure(tokens)}</td>
      <td>
        <When at={created_at} />
      </td>
      <td>
        <div className="row tight">
          <Button aria-label={t("Rename {name}", { name })} onPress={() => ask("rename")}>
            {t("Rename")}
          </Button>
          <Button kind="danger" aria-label={t("Delete {name}", { name })} onPress={() => ask("delete")}>
            {t("Delete")}
          </Button>
        </div>
      </td>
    </tr>
  );
}

function Rename({ talk, onClose }: { talk: Talk; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const [title, setTitle] = useState(talk.title ?? "");
  const { mutate, error, isPending } = useMutation({
    // For an existing id the settings are merged, and nothing else changes.
    mutationFn: () => call("conversations.create", { body: { id: talk.id, title: title.trim() } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ["conversations"] });
    },
  });
  return (
    <FormWindow
      title={t("Rename {name}", { name: visible(nameOf(talk)) })}
      button={t("Rename")}
      isBusy={isPending}
      isIncomplete={title.trim() === ""}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Title")}
        value={title}
        onChange={setTitle}
        isRequired
        autoFocus
        help={t("Models do not see the title.")}
      />
    </FormWindow>
  );
}

function Nothing({ isFirst }: { isFirst: boolean }): ReactNode {
  return isFirst ? (
    <Empty icon={MessagesSquare} title={t("No conversations yet")}>
      <p>
        {rich("Start one in the {link}, or connect your application to {origin}.", {
          link: <Link to="/try">{t("playground")}</Link>,
          origin: <code>{location.origin}/openai/v1</code>,
        })}
      </p>
    </Empty>
  ) : (
    <Empty icon={MessagesSquare} title={t("No matching conversations")}>
      <p>{t("Try another search, or remove a filter.")}</p>
    </Empty>
  );
}
