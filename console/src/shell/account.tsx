// Shows the signed-in user, with a menu for the theme, the documentation and signing out.

import { useNavigate } from "@tanstack/react-router";
import { BookOpen, Check, ChevronsUpDown, LogOut, MonitorSmartphone } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Button as Pressable,
  Separator,
} from "react-aria-components";
import { type Somebody, signOut } from "../gateway/session";
import { Plain, visible } from "../parts/text";
import { reportError } from "../parts/toast";
import { setTheme, THEMES, type Theme, themeOf } from "./kept";

const NAMES: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

export function Account({ me, isNarrow }: { me: Somebody; isNarrow: boolean }): ReactNode {
  const navigate = useNavigate();
  const [theme, choose] = useState(themeOf);
  const letters = visible(me.user_id).slice(0, 2).toUpperCase();
  return (
    <MenuTrigger>
      <Pressable className="me" {...(isNarrow ? { "aria-label": `Account: ${visible(me.user_id)}` } : {})}>
        <span className="avatar" aria-hidden="true" data-letters={letters} />
        {!isNarrow && (
          <>
            <span>
              <span className="unseen">Account: </span>
              <Plain>{me.user_id}</Plain>
              <small>{me.role === "admin" ? "Administrator" : "User"}</small>
            </span>
            <ChevronsUpDown size={14} aria-hidden="true" />
          </>
        )}
      </Pressable>
      <Popover className="popover" placement="top start">
        <Menu className="menu" aria-label="Account">
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={(keys) => {
              const [chosen] = THEMES.filter((one) => keys === "all" || keys.has(one));
              if (chosen === undefined) return;
              setTheme(chosen);
              choose(chosen);
            }}
          >
            <Header>Theme</Header>
            {THEMES.map((one) => (
              <MenuItem key={one} id={one} textValue={NAMES[one]}>
                {NAMES[one]} <Check size={16} className="check" aria-hidden="true" />
              </MenuItem>
            ))}
          </MenuSection>
          <Separator />
          <MenuItem textValue="Sessions" onAction={() => void navigate({ to: "/sessions" })}>
            <MonitorSmartphone size={16} aria-hidden="true" /> Sessions
          </MenuItem>
          <MenuItem textValue="Documentation" href="/docs/" target="_blank">
            <BookOpen size={16} aria-hidden="true" /> Documentation
          </MenuItem>
          <Separator />
          <MenuItem textValue="Sign out" onAction={() => void signOut().catch(reportError)}>
            <LogOut size={16} aria-hidden="true" /> Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
