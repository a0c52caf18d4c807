/** The run window of a workflow: its current state, the editor, and its effect in the next weeks. */
import { useEffect, useState } from "preact/hooks"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { useChanges } from "../data/Live.ts"
import { windowOf as windowQuery, workflowOf } from "../data/Workflows.ts"
import { WorkflowTabs } from "../data/WorkflowTabs.tsx"
import { followMillis, Loaded, useQuery } from "../kit/Loaded.tsx"
import { say } from "../kit/Notices.ts"
import { Page, Section } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { refresh, renew } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { viewerZone } from "../kit/Times.ts"
import { History } from "./History.tsx"
import { InForce } from "./InForce.tsx"
import { Openings } from "./Openings.tsx"
import { PaceForm } from "./PaceForm.tsx"
import { Picture } from "./Picture.tsx"
import { Save } from "./Save.tsx"
import { Specials } from "./Specials.tsx"
import { Week } from "./Week.tsx"
import { type Draft, deciderWords, draftOf, labelAt, placeOf, presets, windowOf } from "./WindowModel.ts"

export const WindowView = ({ id }: { readonly id: string }) => {
  useChanges(() => renew(windowQuery(id)), followMillis)
  const workflow = useQuery(workflowOf(id)).value
  return (
    <Page title={workflow === null ? "Run window" : workflow.name} note="The hours in which its runs may start">
      <WorkflowTabs id={id} current="window" />
      <Loaded query={windowQuery(id)} rows={10}>
        {(read) => <Edited id={id} read={read} />}
      </Loaded>
    </Page>
  )
}

type Read = Parameters<typeof InForce>[0]["read"]

interface Stored {
  readonly window: RunWindow.RunWindow | null
  readonly revision: number
}

const storedOf = ({ run_window, run_window_revision }: Read): Stored => ({
  window: run_window,
  revision: run_window_revision
})

const draftOrNone = (window: RunWindow.RunWindow | null): Draft | null => (window === null ? null : draftOf(window))

const textOf = (draft: Draft | null): string => JSON.stringify(draft === null ? null : windowOf(draft))

const Edited = ({ id, read }: { readonly id: string; readonly read: Read }) => {
  // A new reading of the window does not change the typed values.
  const [draft, setDraft] = useState(draftOrNone(read.run_window))
  /** The window from which the draft was made. */
  const [origin, setOrigin] = useState(storedOf(read))
  const present = useAtom(now)
  // After a save, the page may still hold a reading from before it.
  const latest = read.run_window_revision > origin.revision ? storedOf(read) : origin
  const isForeign = latest !== origin
  const isChanged = textOf(draft) !== textOf(draftOrNone(origin.window))

  /** Replaces the typed values with a window of the service. */
  const take = (stored: Stored) => {
    setDraft(draftOrNone(stored.window))
    setOrigin(stored)
  }

  // Without typed changes, the window of another person conflicts with nothing.
  useEffect(() => {
    if (isForeign && !isChanged) take(latest)
  }, [isForeign, isChanged])

  const checked = draft === null ? null : RunWindow.validate(windowOf(draft), { now: present - (present % 60_000) })
  const valid = checked?._tag === "Success" ? checked.success : null
  const issues = checked?._tag === "Failure" ? checked.failure.issues : []
  const problems = new Map<string, string>()
  for (const { message, path } of issues) {
    const place = draft === null ? "window" : placeOf(draft, path)
    problems.set(place, [problems.get(place), message].filter((one) => one !== undefined).join(" "))
  }
  return (
    <>
      <InForce id={id} read={read} onChanged={() => refresh(windowQuery(id))} />
      {draft === null ? (
        <Section title="No run window">
          <div class="body">
            <p>
              Runs of this workflow may start at any hour. A window says when they may; runs that come at other hours
              wait.
            </p>
            <div class="row">
              {presets(viewerZone).map(({ draft, name }) => (
                <button key={name} type="button" onClick={() => setDraft(draft)}>
                  Begin with {name.toLowerCase()}
                </button>
              ))}
            </div>
          </div>
        </Section>
      ) : (
        <div class="columns">
          <div class="stack">
            <Week draft={draft} problems={problems} onChange={setDraft} />
            <Specials draft={draft} problems={problems} today={present} onChange={setDraft} />
            <Save
              id={id}
              base={origin.revision}
              draft={draft}
              hasWindow={origin.window !== null}
              problem={problems.get("window") ?? null}
              isValid={valid !== null}
              isChanged={isChanged}
              isForeign={isForeign}
              onTake={() => take(latest)}
              onSaved={(window, revision) => {
                // What was typed since then stays.
                setDraft((typed) => (textOf(typed) === textOf(draft) ? draftOrNone(window) : typed))
                setOrigin({ window, revision })
                refresh(windowQuery(id), workflowOf(id))
              }}
            />
          </div>
          <div class="stack">
            {valid === null ? (
              <Section title="The next 8 weeks">
                <p class="body note">The picture is shown again when every value is valid.</p>
              </Section>
            ) : (
              <Drawn window={valid.window} warnings={valid.warnings} at={present - (present % 60_000)} />
            )}
          </div>
        </div>
      )}
      <PaceForm id={id} zone={read.run_window?.time_zone ?? viewerZone} />
      {may("Owner") && (
        <History
          id={id}
          revision={read.run_window_revision}
          onRestore={(window) => {
            setDraft(draftOf(window))
            say("done", "The earlier window is in the editor. Save it to restore it")
            document.querySelector(".save-bar")?.scrollIntoView({ block: "nearest" })
          }}
        />
      )}
    </>
  )
}

const Drawn = ({
  at,
  warnings,
  window
}: {
  readonly window: RunWindow.ValidRunWindow
  readonly warnings: ReadonlyArray<RunWindow.RunWindowIssue>
  readonly at: number
}) => {
  const schedule = RunWindow.compile(window)
  return (
    <>
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.map(({ message, path }) => (
            <li key={path + message}>
              <b>{deciderWords(window, path, labelAt(window, path))}</b>: {message}
            </li>
          ))}
        </ul>
      )}
      <Picture schedule={schedule} at={at} />
      <Openings schedule={schedule} window={window} at={at} />
    </>
  )
}
