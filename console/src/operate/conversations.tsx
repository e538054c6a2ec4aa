// Lists, renames and deletes the user's own conversations. No other user can see them, including admins.

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Form } from "react-aria-components";
import { type AnswerOf, call, slice } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button, Field, Window } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Search } from "../parts/search";
import { Answer, Empty, Trouble } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";

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
    <>
      <Title>Conversations</Title>
      <search className="row">
        <Search
          label="Find one"
          placeholder="Letters of its title, ghost or id"
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
              <Table name="Conversations" heads={["Conversation", "Ghost", "Turns", "Last turn", "Billed", "Made", ""]}>
                {items.map((talk) => (
                  <Row key={talk.id} talk={talk} ask={(act) => ask({ act, talk })} />
                ))}
              </Table>
            )}
            <Pages cursor={cursor} next={next} />
          </>
        )}
      </Answer>
      <p className="soft">Turns and tokens are told within ten minutes. Only you see your conversations here.</p>
      {asked?.act === "rename" && <Rename talk={asked.talk} onClose={close} />}
      {asked?.act === "delete" && (
        <Confirm
          title={`Delete ${visible(nameOf(asked.talk))}?`}
          button="Delete it"
          act={() => call("conversations.delete", { path: { id: asked.talk.id } })}
          onClose={close}
        >
          Its turns, results, files and questions go with it. This cannot be taken back.
        </Confirm>
      )}
    </>
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
      <td>{turns === null ? "not told yet" : figure(turns)}</td>
      <td>{turns !== null && <When at={last_turn_at} />}</td>
      <td>{tokens !== null && `${figure(tokens)} tokens`}</td>
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
    <Window title={`Rename ${visible(nameOf(talk))}`} onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label="Title" value={title} onChange={setTitle} isRequired autoFocus help="No model sees it." />
        {error !== null && <Trouble error={error} />}
        <div className="row">
          <Button kind="main" type="submit" isDisabled={isPending || title.trim() === ""}>
            Rename it
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </Form>
    </Window>
  );
}

function Nothing({ isFirst }: { isFirst: boolean }): ReactNode {
  return isFirst ? (
    <Empty title="There is no conversation yet">
      <p>
        Your back end begins one with its first turn: <code>POST /api/v1/conversations/&lt;id&gt;/turns</code>.
      </p>
    </Empty>
  ) : (
    <Empty title="No conversation is found">
      <p>Try other letters, or clear the field.</p>
    </Empty>
  );
}
