// Downloads a conversation as JSON: its status and all its events, oldest first.

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { type AnswerOf, call } from "../gateway/call";
import { Button } from "../parts/controls";
import { Trouble } from "../parts/state";
import { t } from "../text/text";

const PAGE = 500;
type Event = AnswerOf<"conversations.events">["events"][number];

export function Export({ id }: { id: string }): ReactNode {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const conversation = await call("conversations.get", { path: { id } });
      save(`${id}.json`, JSON.stringify({ conversation, events: await eventsOf(id) }, null, 2));
    },
  });
  return (
    <>
      <Button isDisabled={isPending} onPress={() => mutate()}>
        <Download size={16} aria-hidden="true" /> {isPending ? t("Exporting…") : t("Export")}
      </Button>
      {error !== null && <Trouble error={error} />}
    </>
  );
}

async function eventsOf(id: string): Promise<readonly Event[]> {
  const all: Event[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: AnswerOf<"conversations.events"> = await call("conversations.events", {
      path: { id },
      query: { after, limit: PAGE },
    });
    all.push(...page.events);
    after = page.next_cursor;
  }
  return all;
}

/** Stores a text as a file of the user. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
