// Adds or changes a model. Fields that the form does not show are preserved.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Model, ModelEntry } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";
import { Choice, Field } from "../parts/controls";
import { FormWindow } from "../parts/form-window";
import { visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
import type { OwnerAsked } from "./owners";

const APIS = {
  openai: {
    name: t("OpenAI: chat and responses"),
    api: ["openai-chat", "openai-responses"],
    base: "https://api.openai.com/v1",
  },
  chat: { name: t("OpenAI: chat only"), api: ["openai-chat"], base: "https://api.example.com/v1" },
  anthropic: { name: "Anthropic", api: ["anthropic"], base: "https://api.anthropic.com" },
} as const satisfies Record<string, { name: string; api: ModelEntry["api"]; base: string }>;
type Api = keyof typeof APIS;
const NAMES = (["openai", "chat", "anthropic"] as const).map((api) => [api, APIS[api].name] as const);

const apiOf = (model: Model | null): Api =>
  model === null || model.api.includes("openai-responses")
    ? "openai"
    : model.api.includes("anthropic")
      ? "anthropic"
      : "chat";

/** Returns the parts of an entry that this form does not show. */
function unseen(model: Model | null): Partial<ModelEntry> {
  if (model === null) return {};
  const { headers, allow, single_system, usage } = model;
  return {
    ...(headers === undefined ? {} : { headers }),
    ...(allow === undefined ? {} : { allow }),
    ...(single_system === undefined ? {} : { single_system }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** `model` is the model to change, or `null` for a new one. */
export function ModelForm({
  owner,
  model,
  onClose,
}: {
  owner: OwnerAsked;
  model: Model | null;
  onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(model?.name ?? "");
  const [api, setApi] = useState<Api>(apiOf(model));
  const [base, setBase] = useState(model?.base_url ?? "");
  const [real, setReal] = useState(model?.model ?? "");
  const [key, setKey] = useState(/^\$\{\{secrets\.(\w+)\}\}$/.exec(model?.key ?? "")?.[1] ?? "");
  const secrets = useQuery({
    queryKey: ["secrets", "of a model", owner],
    queryFn: ({ signal }) => slice("secrets.list", { query: { ...owner, limit: 100 } }, signal),
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call("models.set", { path: { name: name.trim() }, body: { ...owner, ...entry() } }),
    onSuccess: async () => {
      onClose();
      toast(t("Model saved."));
      await client.invalidateQueries();
    },
  });
  const entry = (): ModelEntry => {
    return {
      ...unseen(model),
      api: api === apiOf(model) && model !== null ? model.api : [...APIS[api].api],
      base_url: base.trim(),
      model: real.trim(),
      ...(key === "" ? {} : { key: `\${{secrets.${key}}}` }),
    };
  };
  const known = (secrets.data?.items ?? []).map((secret) => secret.name);
  const names = key === "" || known.includes(key) ? known : [...known, key];
  return (
    <FormWindow
      title={model === null ? t("Add model") : t("Edit {name}", { name: visible(model.name) })}
      button={isPending ? t("Saving…") : t("Save")}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={setName}
        isRequired
        isDisabled={model !== null}
        autoFocus={model === null}
        help={t("Requests use this name. It replaces a gateway model of the same name.")}
      />
      <Choice label={t("API")} value={api} options={NAMES} onChange={setApi} />
      <Field
        label={t("Base URL")}
        value={base}
        onChange={setBase}
        isRequired
        placeholder={APIS[api].base}
        help={t("The base URL for the provider's SDK.")}
      />
      <Field label={t("Provider's model name")} value={real} onChange={setReal} isRequired />
      <Choice
        label={t("Secret with the API key")}
        value={key}
        options={[["", "none"], ...names.map((one): [string, string] => [one, visible(one)])]}
        onChange={setKey}
      />
    </FormWindow>
  );
}
