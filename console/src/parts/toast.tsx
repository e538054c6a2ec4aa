// Shows short messages about the result of an action, which disappear by themselves.

import { CircleCheck, X } from "lucide-react";
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

/** How long a message is shown, in milliseconds. It stays while it has the focus or the pointer. */
const SHOWN_MS = 6_000;

const queue = new ToastQueue<string>({ maxVisibleToasts: 3 });

/** Shows a message. */
export const toast = (message: string): void => void queue.add(message, { timeout: SHOWN_MS });

/** Shows the message of an error that no part of the page can show. */
export const reportError = (error: unknown): void => toast(error instanceof Error ? error.message : String(error));

export function Toasts(): ReactNode {
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={t("Messages")}>
      {({ toast: one }) => (
        <Toast toast={one} className="toast">
          <CircleCheck size={16} aria-hidden="true" />
          <ToastContent>
            <Text slot="title">{one.content}</Text>
          </ToastContent>
          <IconButton slot="close" icon={X} label={t("Close")} />
        </Toast>
      )}
    </ToastRegion>
  );
}
