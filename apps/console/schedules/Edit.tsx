/** Creates or changes a schedule, and shows its next firings before it is saved. */
import { useEffect, useState } from "preact/hooks"
import type { PreviewResponse } from "../../api/schedule/SchedulesApi.ts"
import { inputSchemaOf, workflowOf } from "../data/Workflows.ts"
import { Field } from "../forms/Field.tsx"
import { JsonArea } from "../forms/JsonArea.tsx"
import { SchemaFields } from "../forms/SchemaForm.tsx"
import { fieldsOf, read, withExpressions } from "../forms/SchemaModel.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { act, client, problemsOf, reasonOf } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { full, viewerZone, zoned } from "../kit/Times.ts"
import {
  blank,
  bodyOf,
  catchUps,
  days,
  dayWord,
  type Given,
  givenOf,
  type Kind,
  kinds,
  objectOf,
  overlaps,
  problemsAt,
  type Schedule
} from "./ScheduleModel.ts"

type Preview = typeof PreviewResponse.Type
type Problems = ReturnType<typeof bodyOf>["problems"]

/** The pause in typing after which the service is asked, in milliseconds. */
const rest = 350

/** The next firings of the typed schedule, and its problems. */
const usePreview = (given: Given, former: Schedule | null) => {
  const [preview, show] = useState<Preview | null>(null)
  const [problems, setProblems] = useState<Problems>({})
  useEffect(() => {
    const { body, problems } = bodyOf(given, former)
    setProblems(problems)
    if (Object.keys(problems).length > 0) return show(null)
    let isPast = false
    const timer = setTimeout(() => {
      // The service checks the body as a whole and says what is wrong at its path.
      const asked = client().schedules.previewSchedule({ payload: body as never, query: {} })
      void act(asked, {
        failed: (error) => !isPast && setProblems(problemsFrom(error, given.kind))
      }).then((found) => !isPast && show(found))
    }, rest)
    return () => {
      isPast = true
      clearTimeout(timer)
    }
  }, [given])
  return { preview, problems, setProblems }
}

const problemsFrom = (error: unknown, kind: Kind): Problems => {
  const found = problemsOf(error)
  return found.length === 0 ? { all: reasonOf(error) } : problemsAt(found, kind)
}

export const Edit = ({
  former,
  names,
  onClose,
  onSaved,
  workflow
}: {
  readonly former: Schedule | null
  /** The workflow of a new schedule; empty when none is chosen yet. */
  readonly workflow: string
  readonly names: ReadonlyMap<string, string>
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const [given, setGiven] = useState(() => (former === null ? blank(workflow, viewerZone) : givenOf(former)))
  const { preview, problems, setProblems } = usePreview(given, former)
  const [isAsked, setAsked] = useState(former !== null)
  const set = (changes: Partial<Given>, isTyped = true) => {
    if (isTyped) setAsked(true)
    setGiven((now) => ({ ...now, ...changes }))
  }
  const send = async (event: Event) => {
    event.preventDefault()
    setAsked(true)
    const { body, problems } = bodyOf(given, former)
    setProblems(problems)
    if (Object.keys(problems).length > 0) return
    const payload = body as never
    const saved = await act(
      former === null
        ? client().schedules.createSchedule({ payload })
        : client().schedules.replaceSchedule({ params: { schedule_id: former.id }, payload }),
      { done: "The schedule was saved", failed: (error) => setProblems(problemsFrom(error, given.kind)) }
    )
    if (saved === null) return
    onSaved()
    onClose()
  }
  const shown = isAsked ? problems : {}
  return (
    <Dialog wide title={former === null ? "New schedule" : "The schedule"} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <div class="pair">
          <Field label="Workflow" problem={shown.workflow}>
            <select
              disabled={former !== null}
              value={given.workflow}
              onChange={({ currentTarget }) => set({ workflow: currentTarget.value, inputs: "{}", wrongInputs: {} })}
            >
              <option value="">Choose…</option>
              {[...names].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Name (optional)" problem={shown.name}>
            <input value={given.name} onInput={({ currentTarget }) => set({ name: currentTarget.value })} />
          </Field>
        </div>
        <When given={given} problems={shown} set={set} />
        <More given={given} problems={shown} set={set} />
        {shown.all !== undefined && (
          <p class="wrong" role="alert">
            {shown.all}
          </p>
        )}
        <Coming preview={preview} />
        {may("Member") && (
          <button type="submit" class="primary">
            Save the schedule
          </button>
        )}
      </form>
    </Dialog>
  )
}

interface Part {
  readonly given: Given
  readonly problems: Problems
  readonly set: (changes: Partial<Given>, isTyped?: boolean) => void
}

const When = ({ given, problems, set }: Part) => (
  <>
    <div class="pair">
      <Choice label="When" value={given.kind} choices={kinds} onChange={(kind) => set({ kind: kind as Kind })} />
      {(given.kind === "days" || given.kind === "recurrence") && (
        <Field label="At" problem={problems.time}>
          <input class="clock" value={given.time} onInput={({ currentTarget }) => set({ time: currentTarget.value })} />
        </Field>
      )}
      {given.kind !== "opening" && (
        <Field label="Time zone" problem={problems.zone}>
          <input value={given.zone} onInput={({ currentTarget }) => set({ zone: currentTarget.value })} />
        </Field>
      )}
    </div>
    {given.kind === "days" && (
      <fieldset>
        <legend>Days</legend>
        <div class="row">
          {days.map((day) => (
            <label key={day} class="tick">
              <input
                type="checkbox"
                checked={given.days.includes(day)}
                onChange={({ currentTarget }) =>
                  set({
                    days: currentTarget.checked ? [...given.days, day] : given.days.filter((one) => one !== day)
                  })
                }
              />
              {dayWord(day)}
            </label>
          ))}
        </div>
        {problems.days !== undefined && (
          <p class="wrong" role="alert">
            {problems.days}
          </p>
        )}
      </fieldset>
    )}
    {given.kind === "cron" && (
      <Field
        label="Cron expression"
        hint="Minute, hour, day of the month, month, day of the week"
        problem={problems.cron}
      >
        <input class="mono" value={given.cron} onInput={({ currentTarget }) => set({ cron: currentTarget.value })} />
      </Field>
    )}
    {given.kind === "recurrence" && (
      <div class="pair">
        <Field label="Recurrence rule" hint="Of RFC 5545, such as FREQ=WEEKLY;BYDAY=FR" problem={problems.rule}>
          <input class="mono" value={given.rule} onInput={({ currentTarget }) => set({ rule: currentTarget.value })} />
        </Field>
        <Field label="First date (optional)" problem={problems.start}>
          <input type="date" value={given.start} onInput={({ currentTarget }) => set({ start: currentTarget.value })} />
        </Field>
      </div>
    )}
  </>
)

const More = ({ given, problems, set }: Part) => (
  <>
    {given.workflow === "" ? (
      <p class="note">The inputs of its runs are asked for once the workflow is chosen.</p>
    ) : (
      <Inputs key={given.workflow} given={given} problems={problems} set={set} />
    )}
    <div class="pair">
      <Choice
        label="While an earlier run has not ended"
        value={given.overlap}
        choices={overlaps}
        onChange={(overlap) => set({ overlap })}
      />
      <Choice
        label="After an outage"
        value={given.catchUp}
        choices={catchUps}
        onChange={(catchUp) => set({ catchUp })}
      />
    </div>
  </>
)

/** The inputs of each run, by the schema of the workflow; as JSON where it names none. */
const Inputs = (part: Part) => {
  const workflow = useQuery(workflowOf(part.given.workflow)).value
  if (workflow === null) return <p class="note">Reading the inputs of the workflow…</p>
  return <NamedInputs {...part} schema={inputSchemaOf(workflow)} />
}

const NamedInputs = ({
  given,
  problems,
  schema,
  set
}: Part & { readonly schema: Readonly<Record<string, unknown>> }) => {
  const [fields] = useState(() => withExpressions(fieldsOf(schema, objectOf(given.inputs) ?? {})))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const take = (typed: Readonly<Record<string, string>>, isTyped: boolean) => {
    setTexts(typed)
    const { problems, values } = read(fields, typed, { expressions: true })
    set({ inputs: JSON.stringify(values), wrongInputs: problems }, isTyped)
  }
  // The form shows what is sent: defaults, too.
  useEffect(() => {
    if (fields.length > 0) take({}, false)
  }, [])
  if (fields.length === 0) {
    return (
      <Field label="Inputs of each run" hint={expressionHint} problem={problems.inputs}>
        <JsonArea rows={4} value={given.inputs} onText={(inputs) => set({ inputs })} />
      </Field>
    )
  }
  return (
    <fieldset>
      <legend>Inputs of each run</legend>
      <div class="form">
        <SchemaFields
          fields={fields}
          texts={texts}
          problems={problems.inputs === undefined ? {} : given.wrongInputs}
          onTexts={(typed) => take(typed, true)}
        />
      </div>
      <p class="hint">{expressionHint}</p>
      {problems.inputs !== undefined && (
        <p class="wrong" role="alert">
          {problems.inputs}
        </p>
      )}
    </fieldset>
  )
}

const expressionHint = "Texts may contain {{ schedule.date }}"

const Choice = ({
  choices,
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly value: string
  readonly choices: Readonly<Record<string, string>>
  readonly onChange: (value: string) => void
}) => (
  <Field label={label}>
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {Object.entries(choices).map(([name, word]) => (
        <option key={name} value={name}>
          {word}
        </option>
      ))}
    </select>
  </Field>
)

/** The next firings. */
const Coming = ({ preview }: { readonly preview: Preview | null }) => (
  <div class="coming">
    <h3>Next firings</h3>
    {preview === null ? (
      <p class="note">The next ten firings are shown here when the schedule is complete.</p>
    ) : (
      <>
        {preview.warnings.map(({ message }) => (
          <p key={message} class="note">
            {message}
          </p>
        ))}
        <ol>
          {preview.firings.map(({ can_start_at, expires_at, fires_at, scheduled_at, window_open }) => (
            <li key={scheduled_at}>
              {full(Date.parse(fires_at))}
              {!window_open && (
                <span class="quiet">
                  {expires_at !== null
                    ? ` · ends without a start at ${zoned(Date.parse(expires_at))}`
                    : can_start_at === null
                      ? " · waits: the window never opens"
                      : ` · waits until ${zoned(Date.parse(can_start_at))}`}
                </span>
              )}
            </li>
          ))}
        </ol>
        <p class="note">In your zone, {viewerZone}</p>
      </>
    )}
  </div>
)
