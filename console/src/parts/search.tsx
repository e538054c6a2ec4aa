// A search field.

import type { ReactNode } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import { Button } from "./controls";

/** `onSearch` receives the words on Enter, and none when they are cleared. */
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
      <div className="row">
        <Input placeholder={placeholder} />
        <Button>Clear</Button>
      </div>
    </SearchField>
  );
}
