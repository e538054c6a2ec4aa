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
import { type Choice, chooseLanguage, chosenLanguage, LANGUAGES } from "../text/language";
import { t } from "../text/text";
import { setTheme, THEMES, type Theme, themeOf } from "./kept";

const NAMES: Record<Theme, string> = { system: t("System"), light: t("Light"), dark: t("Dark") };
const CHOICES = ["browser", ...LANGUAGES] as const;
/** A language is named in itself, so that its speakers find it. */
const LANGUAGE_NAMES: Record<Choice, string> = { browser: t("Browser"), en: "English", zh: "简体中文" };

export function Account({ me, isNarrow }: { me: Somebody; isNarrow: boolean }): ReactNode {
  const navigate = useNavigate();
  const [theme, choose] = useState(themeOf);
  const letters = visible(me.user_id).slice(0, 2).toUpperCase();
  return (
    <MenuTrigger>
      <Pressable
        className="me"
        {...(isNarrow ? { "aria-label": t("Account: {user}", { user: visible(me.user_id) }) } : {})}
      >
        <span className="avatar" aria-hidden="true" data-letters={letters} />
        {!isNarrow && (
          <>
            <span>
              <span className="unseen">{t("Account:")} </span>
              <Plain>{me.user_id}</Plain>
              <small>{me.role === "admin" ? t("Administrator") : t("User")}</small>
            </span>
            <ChevronsUpDown size={14} aria-hidden="true" />
          </>
        )}
      </Pressable>
      <Popover className="popover" placement="top start">
        <Menu className="menu" aria-label={t("Account")}>
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
            <Header>{t("Theme")}</Header>
            {THEMES.map((one) => (
              <MenuItem key={one} id={one} textValue={NAMES[one]}>
                {NAMES[one]} <Check size={16} className="check" aria-hidden="true" />
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[chosenLanguage()]}
            onSelectionChange={(keys) => {
              const [chosen] = CHOICES.filter((one) => keys === "all" || keys.has(one));
              if (chosen !== undefined) chooseLanguage(chosen);
            }}
          >
            <Header>{t("Language")}</Header>
            {CHOICES.map((one) => (
              <MenuItem key={one} id={one} textValue={LANGUAGE_NAMES[one]}>
                {LANGUAGE_NAMES[one]} <Check size={16} className="check" aria-hidden="true" />
              </MenuItem>
            ))}
          </MenuSection>
          <Separator />
          <MenuItem textValue={t("Sessions")} onAction={() => void navigate({ to: "/sessions" })}>
            <MonitorSmartphone size={16} aria-hidden="true" /> {t("Sessions")}
          </MenuItem>
          <MenuItem textValue={t("Documentation")} href="/docs/" target="_blank">
            <BookOpen size={16} aria-hidden="true" /> {t("Documentation")}
          </MenuItem>
          <Separator />
          <MenuItem textValue={t("Sign out")} onAction={() => void signOut().catch(reportError)}>
            <LogOut size={16} aria-hidden="true" /> {t("Sign out")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
