// Edits the files of a skill. The gateway checks them while the user writes; they are saved as a draft, or published after a comparison.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { type ReactNode, useMemo, useRef, useState } from "react";
import type { Issue, Skill } from "../../../sdk/src/generated/operations";
import { useSettled } from "../compose/settled";
import { call } from "../gateway/call";
import { Button, Field, Window } from "../parts/controls";
import { Leave } from "../parts/leave";
import { Page } from "../parts/page";
import { Answer, Empty, Trouble } from "../parts/state";
import { Plain, visible } from "../parts/text";
import { toast } from "../parts/toast";
import { t } from "../text/text";
import { Columns } from "./columns";
import { activation, Current } from "./current";
import {
  changedPaths,
  type Files,
  MANIFEST,
  nextVersion,
  type Package,
  textFile,
  unpacked,
  versionIn,
  withVersion,
  zipOf,
} from "./package";
import { withWarning } from "./regressed";
import { useRights } from "./rights";

const route = getRouteApi("/skills/$id/edit");

export function EditSkill(): ReactNode {
  const { id } = route.useParams();
  const answer = useQuery({
    queryKey: ["skill", id, "package"],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const skill = await call("skills.get", { path: { id } }, signal);
      const { version_id: version } = skill.status;
      const file = await call("skills.download", { path: { id }, query: { version } }, signal);
      return { skill, package: unpacked(await file.arrayBuffer()) };
    },
  });
  return (
    <Answer of={answer} what={t("the files")}>
      {({ skill, package: opened }) => <Editor skill={skill} opened={opened} />}
    </Answer>
  );
}

function Editor({ skill, opened }: { skill: Skill; opened: Package }): ReactNode {
  const { name, labels } = skill.metadata;
  const rights = useRights(skill);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [files, setFiles] = useState(opened.files);
  const [path, setPath] = useState(MANIFEST);
  const [isReviewing, setReviewing] = useState(false);
  const done = useRef(false);
  const changed = useMemo(() => changedPaths(opened.files, files), [opened, files]);
  const edited = { folder: opened.folder, files };
  const check = useCheck(edited, name);
  const place = labels.user_id === "0" ? "public" : skill.metadata.namespace;
  const file = () => zipOf(edited, name);
  const finish = async (message: string) => {
    done.current = true;
    toast(message);
    await client.invalidateQueries();
  };
  const draft = useMutation({
    mutationFn: () =>
      call("drafts.push", {
        path: { name },
        body: { file: file(), ...(place === "public" ? { public: "true" } : { namespace: place }) },
      }),
    onSuccess: async () => {
      await finish(t("Draft saved."));
      await navigate({ to: "/drafts" });
    },
  });
  const crumbs = [{ name: t("Skills"), to: "/skills" }] as const;
  if (rights?.publish !== true)
    return (
      <Page title={name} crumbs={crumbs}>
        <Empty icon={Lock} title={t("You cannot change this skill")} />
      </Page>
    );
  const current = files.get(path);
  return (
    <Page
      title={t("Edit {name}", { name })}
      crumbs={crumbs}
      actions={
        <>
          <Button isDisabled={changed.length === 0 || draft.isPending} onPress={() => draft.mutate()}>
            {draft.isPending ? t("Saving…") : t("Save as draft")}
          </Button>
          <Button
            kind="main"
            isDisabled={changed.length === 0 || check.data?.valid !== true}
            onPress={() => setReviewing(true)}
          >
            {t("Review and publish")}
          </Button>
        </>
      }
    >
      {draft.error !== null && <Trouble error={draft.error} />}
      <div className="beside">
        <FileList files={files} changed={changed} path={path} onPath={setPath} onFiles={setFiles} />
        <section aria-label={t("Content")}>
          <Source
            key={path}
            path={path}
            text={current?.text ?? null}
            issues={issuesAt(check.data, path, opened.folder)}
            onChange={(text) => setFiles(new Map(files).set(path, textFile(text)))}
          />
          <Verdict check={check} />
        </section>
      </div>
      {isReviewing && (
        <Review
          skill={skill}
          before={opened.files}
          edited={edited}
          changed={changed}
          onClose={() => setReviewing(false)}
          onDone={async (made, isCurrent) => {
            await finish(t("Skill published."));
            const search = isCurrent ? {} : { view: "versions" as const };
            await navigate({ to: "/skills/$id", params: { id: made.metadata.labels.id }, search });
          }}
        />
      )}
      <Leave isDirty={() => changed.length > 0 && !done.current}>{t("Your changes to this skill are lost.")}</Leave>
    </Page>
  );
}

/** Asks the gateway about the package after a pause, by the rules of publishing. */
function useCheck(edited: Package, name: string) {
  const { folder, files } = edited;
  const settled = useSettled(files);
  const isBehind = settled !== files;
  const stamp = useStamp(settled);
  const answer = useQuery({
    queryKey: ["checked", name, stamp],
    queryFn: ({ signal }) =>
      call("skills.validate", { body: { file: zipOf({ folder, files: settled }, name) } }, signal),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return { ...answer, isBehind: isBehind || answer.isFetching };
}

/** Returns a number that changes with the files. */
function useStamp(files: Files): number {
  const last = useRef({ files, stamp: 0 });
  if (last.current.files !== files) last.current = { files, stamp: last.current.stamp + 1 };
  return last.current.stamp;
}

interface Report {
  valid: boolean;
  issues: readonly Issue[];
  warnings: readonly Issue[];
}

/** Returns the issues of a file. The gateway reports paths with or without the folder of the ZIP. */
const issuesAt = (report: Report | undefined, path: string, folder: string): readonly Issue[] =>
  [...(report?.issues ?? []), ...(report?.warnings ?? [])].filter((issue) =>
    [path, folder + path].includes(issue.path ?? ""),
  );

function Verdict({ check }: { check: ReturnType<typeof useCheck> }): ReactNode {
  const { data, error, isBehind } = check;
  if (error !== null) return <Trouble error={error} />;
  const count = data?.issues.length ?? 0;
  return (
    <p role="status" className="soft">
      {isBehind || data === undefined
        ? t("Checking…")
        : data.valid
          ? t("Ready to publish.")
          : t(count === 1 ? "Cannot be published: {count} problem." : "Cannot be published: {count} problems.", {
              count,
            })}
    </p>
  );
}

function FileList({
  files,
  changed,
  path: shown,
  onPath,
  onFiles,
}: {
  files: Files;
  changed: readonly string[];
  path: string;
  onPath: (path: string) => void;
  onFiles: (files: Files) => void;
}): ReactNode {
  const [added, setAdded] = useState("");
  const path = added.trim().replace(/^\/+/, "");
  return (
    <nav className="stack" aria-label={t("Files")}>
      <ul className="plain-list">
        {[...files.keys()].map((one) => (
          <li key={one}>
            <button
              type="button"
              className="text"
              {...(one === shown ? { "aria-current": "true" as const } : {})}
              onClick={() => onPath(one)}
            >
              <Plain>{one}</Plain>
            </button>
            {changed.includes(one) && <span className="tag accent">{t("changed")}</span>}
          </li>
        ))}
      </ul>
      {shown !== MANIFEST && (
        <Button
          kind="danger"
          onPress={() => {
            onFiles(new Map([...files].filter(([one]) => one !== shown)));
            onPath(MANIFEST);
          }}
        >
          {t("Delete {name}", { name: visible(shown) })}
        </Button>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (path === "" || files.has(path)) return;
          onFiles(new Map(files).set(path, textFile("")));
          onPath(path);
          setAdded("");
        }}
      >
        <Field label={t("New file")} placeholder="references/notes.md" value={added} onChange={setAdded} />
      </form>
    </nav>
  );
}

function Source({
  path,
  text,
  issues,
  onChange,
}: {
  path: string;
  text: string | null;
  issues: readonly Issue[];
  onChange: (text: string) => void;
}): ReactNode {
  const place = useRef<HTMLTextAreaElement>(null);
  if (text === null) return <p className="soft">{t("This file is binary or too long to show.")}</p>;
  const jump = (line: number) => {
    const area = place.current;
    if (area === null) return;
    const lines = text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
  };
  return (
    <>
      <label className="field">
        <span>
          <Plain>{path}</Plain>
        </span>
        <textarea
          ref={place}
          className="code source"
          rows={26}
          spellCheck={false}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      {issues.length > 0 && (
        <ul className="plain-list rows">
          {issues.map(({ code, message, line, severity }, n) => (
            // Two may be the same in every word.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
            <li key={n}>
              <span>
                <span className={`dot ${severity === undefined ? "bad" : "warn"}`} aria-hidden="true" />{" "}
                <Plain>{message}</Plain> <span className="soft">{code}</span>
              </span>
              {line !== undefined && (
                <button type="button" className="text" onClick={() => jump(line)}>
                  {t("Line {line}", { line })}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Review({
  skill,
  before,
  edited,
  changed,
  onClose,
  onDone,
}: {
  skill: Skill;
  before: Files;
  edited: Package;
  changed: readonly string[];
  onClose: () => void;
  onDone: (made: Skill, isCurrent: boolean) => Promise<void>;
}): ReactNode {
  const { name, namespace, labels } = skill.metadata;
  const manifest = edited.files.get(MANIFEST)?.text ?? "";
  const label = versionIn(manifest);
  // A label can be published once, so the next one is offered.
  const [version, setVersion] = useState(
    label === skill.spec.version && label !== null ? nextVersion(label) : (label ?? ""),
  );
  const files =
    label === null ? edited.files : new Map(edited.files).set(MANIFEST, textFile(withVersion(manifest, version)));
  const [becomesCurrent, setBecomesCurrent] = useState(true);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const file = zipOf({ folder: edited.folder, files }, name);
      return labels.user_id === "0"
        ? call("skills.publishPublic", { body: { file, ...activation(becomesCurrent) } })
        : call("skills.publish", { body: { file, namespace, ...activation(becomesCurrent) } });
    },
    onSuccess: (made) => onDone(withWarning(made), becomesCurrent),
  });
  return (
    <Window title={t("Publish {name}?", { name: visible(name) })} onClose={onClose} isWide>
      {label !== null && (
        <Field
          label={t("Version")}
          value={version}
          onChange={setVersion}
          help={t("Current version: {version}", {
            version: visible(skill.spec.version ?? `${skill.status.version_number}`),
          })}
        />
      )}
      {changed.map((path) => (
        <section key={path} className="stack" aria-label={visible(path)}>
          <h3>
            <Plain>{path}</Plain>
          </h3>
          <Columns name={path} before={before.get(path)?.text ?? ""} after={files.get(path)?.text ?? ""} />
        </section>
      ))}
      <Current isSelected={becomesCurrent} onChange={setBecomesCurrent} />
      {error !== null && <Trouble error={error} />}
      <div className="buttons">
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button
          kind="main"
          isDisabled={isPending || (label !== null && version.trim() === "")}
          onPress={() => mutate()}
        >
          {isPending ? t("Publishing…") : t("Publish")}
        </Button>
      </div>
    </Window>
  );
}
