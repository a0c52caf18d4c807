/** The pace of a workflow's runs, and the forecast for its waiting runs. */
import { Atom } from "effect/reactivity"
import { useState } from "preact/hooks"
import { mostRunning, mostStartsPerMinute } from "../../../core/gate/Pace.ts"
import type { WorkflowPace } from "../../api/gate/GatesApi.ts"
import { type Count, forecastWords } from "../data/Counts.ts"
import { gateKinds, useChanges, useEdits } from "../data/Live.ts"
import { Field } from "../forms/Field.tsx"
import { typedSince, useSaved } from "../forms/Saved.ts"
import { limitFrom } from "../forms/TypedLimit.ts"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Section } from "../kit/Page.tsx"
import { act, client, problemsByField, query, refresh, renew } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { short } from "../kit/Times.ts"
import { drainWords } from "./PaceModel.ts"

type Pace = typeof WorkflowPace.Type

const paceOf = Atom.family((id: string) =>
  query((client) => client.runWindows.getPace({ params: { workflow_id: id } }))
)

const waiting = "execution.paused,execution.queued,execution.requeued"

const summaryOf = Atom.family((id: string) =>
  query((client) => client.runs.summary({ query: { workflow_id: id, status: waiting } }))
)

export const PaceForm = ({ id, zone }: { readonly id: string; readonly zone: string }) => {
  useChanges(() => renew(paceOf(id), summaryOf(id)))
  useEdits(gateKinds, () => renew(paceOf(id), summaryOf(id)))
  const summary = useQuery(summaryOf(id)).value
  const forecast = summary?.forecasts.find(({ workflow_id }) => workflow_id === id)
  const words = forecast === undefined ? null : forecastWords(forecast, (instant) => short(Date.parse(instant), zone))
  return (
    <Section title="Pace" note="How fast its runs may start">
      <div class="body stack">
        {words !== null && <p>{words}.</p>}
        <Loaded query={paceOf(id)}>
          {(pace) =>
            may("Member") ? <Form id={id} read={pace} waiting={summary?.total ?? none} /> : <Stated pace={pace} />
          }
        </Loaded>
      </div>
    </Section>
  )
}

const Stated = ({ pace: { max_running, max_starts_per_minute } }: { readonly pace: Pace }) => (
  <p>
    {max_starts_per_minute === null
      ? "Any number of starts a minute"
      : `At most ${max_starts_per_minute} starts a minute`}
    , {max_running === null ? "any number running at once" : `at most ${max_running} running at once`}. A Member can
    change it.
  </p>
)

const none: Count = { count: 0, exact: true }

const textOf = (limit: number | null): string => (limit === null ? "" : String(limit))

const Form = ({ id, read, waiting }: { readonly id: string; readonly read: Pace; readonly waiting: Count }) => {
  const [pace, setSaved] = useSaved(read)
  // The typed texts; an untouched field shows the stored value.
  const [typed, setTyped] = useState<{ readonly starts?: string; readonly running?: string }>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [starts, running] = [
    typed.starts ?? textOf(pace.max_starts_per_minute),
    typed.running ?? textOf(pace.max_running)
  ]
  const limits = {
    max_starts_per_minute: limitFrom(starts, mostStartsPerMinute),
    max_running: limitFrom(running, mostRunning)
  }
  const isChanged = starts !== textOf(pace.max_starts_per_minute) || running !== textOf(pace.max_running)
  const save = async (event: Event) => {
    event.preventDefault()
    const { max_running, max_starts_per_minute } = limits
    setProblems({
      ...(typeof max_starts_per_minute === "string" ? { max_starts_per_minute } : {}),
      ...(typeof max_running === "string" ? { max_running } : {})
    })
    if (typeof max_running === "string" || typeof max_starts_per_minute === "string") return
    const saved = await act(
      client().runWindows.setPace({ params: { workflow_id: id }, payload: { max_running, max_starts_per_minute } }),
      {
        done: "The pace was saved",
        failed: (error) => setProblems(problemsByField(error, ["max_starts_per_minute", "max_running"]))
      }
    )
    if (saved === null) return
    setTyped((now) => typedSince(now, typed))
    setSaved(saved)
    refresh(paceOf(id), summaryOf(id))
  }
  return (
    <form class="form" onSubmit={save} noValidate>
      <div class="pair">
        <Field label="Starts a minute (optional)" problem={problems.max_starts_per_minute}>
          <input
            inputMode="numeric"
            placeholder="any number"
            value={starts}
            onInput={({ currentTarget }) => setTyped({ ...typed, starts: currentTarget.value })}
          />
        </Field>
        <Field label="Running at once (optional)" problem={problems.max_running}>
          <input
            inputMode="numeric"
            placeholder="any number"
            value={running}
            onInput={({ currentTarget }) => setTyped({ ...typed, running: currentTarget.value })}
          />
        </Field>
      </div>
      <p role="status" class="impact">
        {isChanged ? drainWords(waiting, limits.max_starts_per_minute) : "The pace is not changed"}
      </p>
      <button type="submit" class="primary" disabled={!isChanged}>
        Save the pace
      </button>
    </form>
  )
}
