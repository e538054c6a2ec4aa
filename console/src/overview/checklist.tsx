// The first steps on a gateway, shown until the user has published a skill and run a conversation.

import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { Circle, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { call, slice } from "../gateway/call";
import { ifReadable } from "../gateway/refusal";
import { type Somebody, useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { canPublish } from "../shell/places";

interface Step {
  name: string;
  text: string;
  isDone: boolean;
  link: Pick<LinkProps, "to" | "search">;
}

export function Checklist(): ReactNode {
  const me = useMe();
  const { data: steps = [] } = useQuery({ queryKey: ["checklist"], queryFn: ({ signal }) => stepsOf(me, signal) });
  const isStarted = steps.slice(0, 2).every(({ isDone }) => isDone);
  if (steps.length === 0 || isStarted) return null;
  return (
    <Card title="Get started" aside={`${steps.filter(({ isDone }) => isDone).length} of ${steps.length}`} isFlush>
      <ol className="list steps">
        {steps.map(({ name, text, isDone, link }) => (
          <li key={name}>
            {isDone ? (
              <CircleCheck size={18} className="done" role="img" aria-label="Done" />
            ) : (
              <Circle size={18} aria-hidden="true" />
            )}
            <div>
              <Link {...link}>{name}</Link>
              <small>{text}</small>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Returns the steps that the user can take. A list that the key cannot read counts as empty. */
async function stepsOf(me: Somebody, signal: AbortSignal): Promise<Step[]> {
  const query = { limit: 1 };
  const one = { query };
  const isThere = (found: Promise<{ items: readonly unknown[] }>) =>
    ifReadable(
      found.then(({ items }) => items.length > 0),
      false,
    );
  const [skills, talks, models, keys, apps] = await Promise.all([
    ifReadable(
      call("me.get", {}, signal).then(({ quotas }) => quotas.skills.used > 0),
      false,
    ),
    isThere(slice("conversations.list", one, signal)),
    isThere(slice("models.list", one, signal)),
    isThere(slice("keys.list", one, signal)),
    isThere(slice("grants.list", one, signal)),
  ]);
  const steps: (Step | false)[] = [
    canPublish(me) && {
      name: "Publish your first skill",
      text: "Drag a folder with a SKILL.md onto this page, or choose one.",
      isDone: skills,
      link: { to: "/publish" },
    },
    me.tries && {
      name: "Try it",
      text: "Chat in the playground and watch skills load.",
      isDone: talks,
      link: { to: "/try" },
    },
    {
      name: "Add a model",
      text: "Connect a model of your provider.",
      isDone: models,
      link: { to: "/models", search: { new: "1" } },
    },
    me.rights.operate && {
      name: "Create an API key",
      text: "Let an application or a colleague use the gateway.",
      isDone: keys,
      link: { to: "/keys", search: { new: "1" } },
    },
    {
      name: "Connect an app",
      text: "Sign in an MCP host such as Claude or VS Code.",
      isDone: apps,
      link: { to: "/grants" },
    },
  ];
  return steps.filter((step) => step !== false);
}
