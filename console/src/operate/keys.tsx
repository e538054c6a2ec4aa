// Lists keys with their owner and last use, creates a key, which is shown once, and revokes keys.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { CreatedKey, Key } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Confirm } from "../parts/confirm";
import { Button, Window } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Empty } from "../parts/state";
import { Table } from "../parts/table";
import { Plain, visible, When } from "../parts/text";
import { Title } from "../parts/title";
import { NewKey } from "./new-key";

const ROWS = 50;
const route = getRouteApi("/keys");

export function Keys(): ReactNode {
  const { rights } = useMe();
  const { cursor } = route.useSearch();
  const answer = useQuery({
    queryKey: ["keys", cursor],
    queryFn: ({ signal }) =>
      slice("keys.list", { query: { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) } }, signal),
  });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [lost, setLost] = useState<Key | null>(null);
  return (
    <>
      <Title>Keys</Title>
      {rights.operate && (
        <p>
          <Button kind="main" onPress={() => setMaking(true)}>
            Make a key
          </Button>
        </p>
      )}
      <Answer of={answer} what="the keys">
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="There is no key">
              <p>The gateway's own key, which is set where it runs, is in no list.</p>
            </Empty>
          ) : (
            <>
              <Table name="Keys" heads={["Name", "User", "Opens", "Ends", "Last used", ""]}>
                {items.map((key) => (
                  <tr key={key.id}>
                    <td>
                      <Plain>{key.name ?? key.id}</Plain>
                    </td>
                    <td>
                      <Plain>{key.user_id}</Plain>
                      {key.role === "admin" && <span className="tag">admin</span>}
                    </td>
                    <td>{key.scopes.length === 0 ? "everything" : key.scopes.join(", ")}</td>
                    <td>
                      <When at={key.expires_at} />
                    </td>
                    <td>
                      <When at={key.last_used_at} />
                    </td>
                    <td>
                      <Button
                        kind="danger"
                        aria-label={`Revoke ${visible(key.name ?? key.id)}`}
                        onPress={() => setLost(key)}
                      >
                        Revoke
                      </Button>
                    </td>
                  </tr>
                ))}
              </Table>
              <Pages cursor={cursor} next={next} />
            </>
          )
        }
      </Answer>
      {isMaking && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      {made !== null && <Shown made={made} onClose={() => setMade(null)} />}
      {lost !== null && (
        <Confirm
          title={`Revoke ${visible(lost.name ?? lost.id)}?`}
          button="Revoke it"
          act={() => call("keys.revoke", { path: { id: lost.id } })}
          onClose={() => setLost(null)}
        >
          Whatever uses it is refused from now on, and every session that it signed in ends. This cannot be taken back.
        </Confirm>
      )}
    </>
  );
}

/** The key is shown only once. */
function Shown({ made, onClose }: { made: CreatedKey; onClose: () => void }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  return (
    <Window urgent title="This is the key" onClose={onClose}>
      <p>It is shown this once: nobody can see it again. Whoever has it acts as its user.</p>
      <p>
        <code className="secret">{made.key}</code>
      </p>
      <div className="row">
        <Button kind="main" onPress={() => void navigator.clipboard.writeText(made.key).then(() => setCopied(true))}>
          {isCopied ? "Copied" : "Copy it"}
        </Button>
        <Button onPress={onClose}>I have it</Button>
      </div>
    </Window>
  );
}
