/** The named limits that runs of several workflows share, with their use. */
import type { Effect } from "effect"
import { useState } from "preact/hooks"
import { plain } from "../data/PlainText.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { zoned } from "../kit/Times.ts"
import { LimitForm, OverrideForm, PauseForm, useNames } from "./LimitForm.tsx"
import { drawers, type Limit, numberWords, overrideAt, runningWords } from "./LimitModel.ts"

const limits = query((client) => client.limits.listLimits())

/** What is done with a limit in a dialog. */
type Act = "edit" | "override" | "pause" | "remove"

export const LimitsView = () => {
  /** The dialog that is open; `null` for none. Only a new limit has none yet. */
  const [open, setOpen] = useState<{ readonly act: Act; readonly limit: Limit | null } | null>(null)
  const close = () => setOpen(null)
  const saved = () => refresh(limits)
  const limit = open?.limit ?? null
  return (
    <Page
      title="Limits"
      note="How many runs of several workflows may start and run, where they share a portal"
      actions={
        may("Member") && (
          <button type="button" class="primary" onClick={() => setOpen({ act: "edit", limit: null })}>
            New limit
          </button>
        )
      }
    >
      <Section title="Named limits">
        <Loaded isFollowed query={limits}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No limit yet">
                {may("Member") ? "Make one" : "A Member can make one"} for the workflows, credentials and tags whose
                runs share something, such as a portal.
              </Empty>
            ) : (
              <Entries all={all} onOpen={(act, limit) => setOpen({ act, limit })} />
            )
          }
        </Loaded>
      </Section>
      {open?.act === "edit" && <LimitForm before={limit} onClose={close} onSaved={saved} />}
      {open?.act === "pause" && limit !== null && <PauseForm limit={limit} onClose={close} onSaved={saved} />}
      {open?.act === "override" && limit !== null && <OverrideForm limit={limit} onClose={close} onSaved={saved} />}
      {open?.act === "remove" && limit !== null && (
        <Confirm
          title="Remove the limit"
          word="Remove it"
          onClose={close}
          onConfirm={() =>
            act(client().limits.removeLimit({ params: { limit_id: limit.id } }), {
              done: "The limit was removed"
            }).then(saved)
          }
        >
          {plain(limit.name)} no longer limits runs from now on: those that wait for it alone start as soon as a worker
          is free.
        </Confirm>
      )}
    </Page>
  )
}

const Entries = ({
  all,
  onOpen
}: {
  readonly all: ReadonlyArray<Limit>
  readonly onOpen: (act: Act, limit: Limit) => void
}) => {
  const names = useNames(all)
  return (
    <ul class="entries">
      {all.map((limit) => (
        <Entry
          key={limit.id}
          limit={limit}
          drawn={drawers(limit, names.workflows, names.credentials)}
          onOpen={(act) => onOpen(act, limit)}
        />
      ))}
    </ul>
  )
}

const Entry = ({
  drawn,
  limit,
  onOpen
}: {
  readonly limit: Limit
  /** What draws on it, by kind. */
  readonly drawn: ReadonlyArray<string>
  readonly onOpen: (act: Act) => void
}) => {
  const present = useAtom(now)
  const { id, name, pause } = limit
  const override = overrideAt(limit, present)
  const params = { limit_id: id }
  const done = (request: Effect.Effect<unknown, unknown>, word: string) =>
    void act(request, { done: word }).then(() => refresh(limits))
  const opening = (act: Act, word: string) => (
    <button type="button" aria-label={`${word} ${name}`} onClick={() => onOpen(act)}>
      {word}…
    </button>
  )
  return (
    <li>
      <span class="entry-text">
        <span>
          <b>{plain(name)}</b> {numberWords(limit)}
        </span>
        {pause !== null && (
          <span class="wrong">
            Paused <Ago at={pause.since} /> by {whoIs(pause.by)}
            {pause.reason !== "" && `: ${plain(pause.reason)}`}
          </span>
        )}
        {override !== null && (
          <span>
            Overridden by {whoIs(override.by)}: {numberWords(override)} until{" "}
            <time dateTime={override.until}>{zoned(Date.parse(override.until))}</time>
          </span>
        )}
        <span class="quiet">{runningWords(limit, present)}</span>
        <span class="quiet">
          {drawn.length === 0 ? "Nothing draws on it" : `Draw on it: ${plain(drawn.join("; "))}`}
        </span>
      </span>
      {may("Member") && (
        <span class="actions">
          {opening("edit", "Edit")}
          {pause === null ? (
            opening("pause", "Pause")
          ) : (
            <button
              type="button"
              aria-label={`Resume ${name}`}
              onClick={() => done(client().limits.resumeLimit({ params }), "The limit is resumed")}
            >
              Resume
            </button>
          )}
          {override === null ? (
            opening("override", "Override")
          ) : (
            <button
              type="button"
              aria-label={`End override: ${name}`}
              onClick={() => done(client().limits.endLimitOverride({ params }), "The override has ended")}
            >
              End override
            </button>
          )}
          {opening("remove", "Remove")}
        </span>
      )}
    </li>
  )
}
