// Lists, renames and deletes the user's own conversations. No other user can see them, including admins.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type AnswerOf, call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { Page } from "../parts/page";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible, When } from "../parts/text";

const ROWS = 50;
const route = getRouteApi("/conversations");
type Talk = AnswerOf<"conversations.list">["items"][number];
const nameOf = ({ title, id }: Talk) => title ?? id;

export function Conversations(): ReactNode {
  const { q, cursor } = route.useSearch();
  const navigate = useNavigate({ from: "/conversations" });
  const answer = useQuery({
    queryKey: ["conversations", q, cursor],
    queryFn: ({ signal }) =>
      slice(
        "conversations.list",
        { query: { limit: ROWS, ...(q === undefined ? {} : { q }), ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  const [asked, ask] = useState<{ act: "rename" | "delete"; talk: Talk } | null>(null);
  const close = () => ask(null);
  return (
    <Page
      title="Conversations"
      lead="Your conversations. No other user can read them. Turns and tokens are up to ten minutes old."
    >
      <search className="row">
        <Search
          label="Search conversations"
          placeholder="Part of the title, agent or id"
          value={q}
          onSearch={(words) => void navigate({ search: words === "" ? {} : { q: words } })}
        />
      </search>
      <Answer of={answer} what="the conversations">
        {({ items, next }) => (
          <>
            {items.length === 0 ? (
              <Nothing isFirst={q === undefined && cursor === undefined} />
            ) : (
              <Table
                name="Conversations"
                heads={[
                  "Conversation",
                  "Agent",
                  { num: "Turns" },
                  "Last turn",
                  { num: "Billed tokens" },
                  "Created",
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
          title={`Delete ${visible(nameOf(asked.talk))}?`}
          button="Delete"
          done="Conversation deleted."
          act={() => call("conversations.delete", { path: { id: asked.talk.id } })}
          onClose={close}
        >
          Its turns, results, files and questions are deleted. You cannot undo this.
        </Confirm>
      )}
    </Page>
  );
}

function Row({ talk, ask }: { talk: Talk; ask: (act: "rename" | "delete") => void }): ReactNode {
  const { id, title, ghost, turns, last_turn_at, tokens, created_at } = talk;
  const name = visible(nameOf(talk));
  return (
    <tr>
      <td className="long">
        <Link to="/conversations/$id" params={{ id }}>
          <Plain>{nameOf(talk)}</Plain>
        </Link>
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
          <Button aria-label={`Rename ${name}`} onPress={() => ask("rename")}>
            Rename
          </Button>
          <Button kind="danger" aria-label={`Delete ${name}`} onPress={() => ask("delete")}>
            Delete
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
      title={`Rename ${visible(nameOf(talk))}`}
      button="Rename"
      isBusy={isPending}
      isIncomplete={title.trim() === ""}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field label="Title" value={title} onChange={setTitle} isRequired autoFocus help="Models do not see the title." />
    </FormWindow>
  );
}

function Nothing({ isFirst }: { isFirst: boolean }): ReactNode {
  return isFirst ? (
    <Empty icon={MessagesSquare} title="No conversations yet">
      <p>
        Start one in the <Link to="/try">playground</Link>, or connect your application to{" "}
        <code>{location.origin}/openai/v1</code>.
      </p>
    </Empty>
  ) : (
    <Empty icon={MessagesSquare} title="No matching conversations">
      <p>Try another search, or clear the field.</p>
    </Empty>
  );
}
