// A search field.

import { Search as SearchIcon, X } from "lucide-react";
import type { ReactNode } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import { t } from "../text/text";
import { IconButton } from "./controls";

/** `onSearch` receives the text on Enter, and an empty text when the field is cleared. */
export function Search({
  label,
  placeholder,
  value,
  onSearch,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onSearch: (words: string) => void;
}): ReactNode {
  return (
    <SearchField
      key={value ?? ""}
      className="field wide"
      defaultValue={value ?? ""}
      onSubmit={(words) => onSearch(words.trim())}
      onClear={() => onSearch("")}
    >
      <Label>{label}</Label>
      <div className="searching">
        <SearchIcon size={16} aria-hidden="true" />
        <Input placeholder={placeholder} />
        <IconButton icon={X} label={t("Clear")} />
      </div>
    </SearchField>
  );
}
