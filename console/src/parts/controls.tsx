// Contains the basic controls of all pages. React Aria provides keyboard, touch and accessible names; the styles are the console's own.

import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import {
  type ButtonProps,
  Checkbox,
  CheckboxGroup,
  Dialog,
  Heading,
  Input,
  Label,
  Modal,
  ModalOverlay,
  Button as Pressable,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from "react-aria-components";

/** `kind`: `main` is the primary action of the page, `danger` a destructive one. */
export function Button({ kind = "plain", ...props }: ButtonProps & { kind?: "plain" | "main" | "danger" }): ReactNode {
  return <Pressable {...props} className={`button ${kind}`} />;
}

/** A button that shows only an icon. */
export function IconButton({
  icon: Icon,
  label,
  ...props
}: Omit<ButtonProps, "children"> & { icon: LucideIcon; label: string }): ReactNode {
  return (
    <Pressable {...props} className="button quiet icon" aria-label={label}>
      <Icon size={16} aria-hidden="true" />
    </Pressable>
  );
}

export function Field({
  label,
  help,
  placeholder,
  ...props
}: TextFieldProps & { label: string; help?: string; placeholder?: string }): ReactNode {
  return (
    <TextField {...props} className="field">
      <Label>{label}</Label>
      <Input {...(placeholder === undefined ? {} : { placeholder })} />
      {help !== undefined && (
        <Text slot="description" className="soft">
          {help}
        </Text>
      )}
    </TextField>
  );
}

/** A field for a text of several lines. */
export function LongField({ label, help, ...props }: TextFieldProps & { label: string; help?: string }): ReactNode {
  return (
    <TextField {...props} className="field">
      <Label>{label}</Label>
      <TextArea rows={4} />
      {help !== undefined && (
        <Text slot="description" className="soft">
          {help}
        </Text>
      )}
    </TextField>
  );
}

/** Selects one of a few options with the browser's own control, which every device supports. */
export function Choice<Value extends string>({
  label,
  isHidden = false,
  value,
  options,
  onChange,
}: {
  label: string;
  /** Hides the label visually because its position explains it. Screen readers still read it. */
  isHidden?: boolean;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  onChange: (value: Value) => void;
}): ReactNode {
  return (
    <label className="field">
      <span className={isHidden ? "unseen" : ""}>{label}</span>
      <select
        value={value}
        onChange={({ target }) => {
          const chosen = options.find(([option]) => option === target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A checkbox with its label. */
export function Check({
  isSelected,
  onChange,
  children,
}: {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  children: ReactNode;
}): ReactNode {
  return (
    <Checkbox className="checkbox" isSelected={isSelected} onChange={onChange}>
      <span className="box" aria-hidden="true" />
      <span>{children}</span>
    </Checkbox>
  );
}

/** Selects any number of options, and at least one. `options`: a value with its description, which is shown before it. */
export function Checks<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: readonly Value[];
  options: readonly (readonly [value: Value, text: string])[];
  onChange: (value: Value[]) => void;
}): ReactNode {
  return (
    <CheckboxGroup
      className="checks"
      value={[...value]}
      onChange={(chosen) => onChange(options.flatMap(([option]) => (chosen.includes(option) ? [option] : [])))}
      isRequired
    >
      <Label>{label}</Label>
      {options.map(([option, text]) => (
        <Checkbox key={option} value={option} className="checkbox">
          <span className="box" aria-hidden="true" />
          <span>
            {text} <span className="soft">{option}</span>
          </span>
        </Checkbox>
      ))}
    </CheckboxGroup>
  );
}

/** A modal dialog. `onClose` runs when the dialog is closed, also with Escape. */
export function Window({
  title,
  onClose,
  children,
  urgent = false,
  isWide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  urgent?: boolean;
  /** For contents such as a comparison. */
  isWide?: boolean;
}): ReactNode {
  return (
    <ModalOverlay isOpen isDismissable={!urgent} onOpenChange={(open) => !open && onClose()} className="veil">
      <Modal className={isWide ? "window wide" : "window"}>
        <Dialog role={urgent ? "alertdialog" : "dialog"}>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
