// Shows short messages about the result of an action, which disappear by themselves.

import { CircleCheck, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { t } from "../text/text";
import { IconButton } from "./controls";
import { Coded } from "./text";

/** How long a message is shown, in milliseconds. It stays while it has the focus or the pointer. */
const SHOWN_MS = 6_000;

interface Message {
  text: string;
  isWarning: boolean;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** Shows a message. */
export const toast = (text: string): void => void queue.add({ text, isWarning: false }, { timeout: SHOWN_MS });

/** Shows a warning until the user closes it. */
export const warn = (text: string): void => void queue.add({ text, isWarning: true });

/** Shows the message of an error that no part of the page can show. */
export const reportError = (error: unknown): void => toast(error instanceof Error ? error.message : String(error));

export function Toasts(): ReactNode {
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={t("Messages")}>
      {({ toast: one }) => (
        <Toast toast={one} className={one.content.isWarning ? "toast warning" : "toast"}>
          {one.content.isWarning ? (
            <TriangleAlert size={16} aria-hidden="true" />
          ) : (
            <CircleCheck size={16} aria-hidden="true" />
          )}
          <ToastContent>
            <Text slot="title">{one.content.isWarning ? <Coded>{one.content.text}</Coded> : one.content.text}</Text>
          </ToastContent>
          <IconButton slot="close" icon={X} label={t("Close")} />
        </Toast>
      )}
    </ToastRegion>
  );
}
