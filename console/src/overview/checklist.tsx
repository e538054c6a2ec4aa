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
import { t } from "../text/text";

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
    <Card
      title={t("Get started")}
      aside={t("{used} of {limit}", { used: steps.filter(({ isDone }) => isDone).length, limit: steps.length })}
      isFlush
    >
      <ol className="list steps">
        {steps.map(({ name, text, isDone, link }) => (
          <li key={name}>
            {isDone ? (
              <CircleCheck size={18} className="done" role="img" aria-label={t("Done")} />
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
      name: t("Publish your first skill"),
      text: t("Drag a folder with a SKILL.md onto this page, or choose one."),
      isDone: skills,
      link: { to: "/publish" },
    },
    me.tries && {
      name: t("Try it"),
      text: t("Chat in the playground and watch skills load."),
      isDone: talks,
      link: { to: "/try" },
    },
    {
      name: t("Add a model"),
      text: t("Connect a model of your provider."),
      isDone: models,
      link: { to: "/models", search: { new: "1" } },
    },
    me.rights.operate && {
      name: t("Create an API key"),
      text: t("Let an application or a colleague use the gateway."),
      isDone: keys,
      link: { to: "/keys", search: { new: "1" } },
    },
    {
      name: t("Connect an app"),
      text: t("Sign in an MCP host such as Claude or VS Code."),
      isDone: apps,
      link: { to: "/grants" },
    },
  ];
  return steps.filter((step) => step !== false);
}
