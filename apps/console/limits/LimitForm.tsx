/** The forms of a named limit: its fields, its pause and its override. */
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import { namesOf, workflows } from "../data/Workflows.ts"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { act, client, problemsByField, query, refresh } from "../kit/Service.ts"
import { viewerZone } from "../kit/Times.ts"
import {
  blank,
  changeOf,
  fieldOf,
  type Given,
  instantFrom,
  type Limit,
  limitOf,
  type Names,
  nameOf,
  numbersFrom,
  type Problems,
  type TypedNumbers,
  typedOf
} from "./LimitModel.ts"

const credentials = query((client) => Effect.map(client.vault.listEntries({ query: {} }), (answer) => [answer].flat()))

/**
 * The names of the workflows and of the credentials that limits name. One that is not known may be newer than the last
 * reading. If the next reading does not have it, it was deleted.
 */
export const useNames = (limits: ReadonlyArray<Limit>): { readonly workflows: Names; readonly credentials: Names } => {
  const [known, entries] = [useQuery(workflows), useQuery(credentials)]
  const ofWorkflows: Names = known.value === null ? null : namesOf(known.value)
  const ofCredentials: Names =
    entries.value === null
      ? null
      : new Map(entries.value.map(({ domain, id, permissioned_user_id: user }) => [id, `${user} at ${domain}`]))
  const unknown = limits
    .flatMap(({ credential_ids, workflow_ids }) => [
      ...workflow_ids.filter((id) => ofWorkflows?.has(id) === false),
      ...credential_ids.filter((id) => ofCredentials?.has(id) === false)
    ])
    .join(" ")
  useEffect(() => {
    if (unknown !== "") refresh(workflows, credentials)
  }, [unknown])
  return unknown !== "" && (known.loading || entries.loading)
    ? { workflows: null, credentials: null }
    : { workflows: ofWorkflows, credentials: ofCredentials }
}

const NumberFields = ({
  given,
  onChange,
  problems
}: {
  readonly given: TypedNumbers
  readonly problems: Problems
  readonly onChange: (part: Partial<TypedNumbers>) => void
}) => (
  <div class="pair">
    <Field label="Running at once (optional)" problem={problems.max_running}>
      <input
        inputMode="numeric"
        placeholder="any number"
        value={given.running}
        onInput={({ currentTarget }) => onChange({ running: currentTarget.value })}
      />
    </Field>
    <Field label="Starts a minute (optional)" problem={problems.max_starts_per_minute}>
      <input
        inputMode="numeric"
        placeholder="any number"
        value={given.starts}
        onInput={({ currentTarget }) => onChange({ starts: currentTarget.value })}
      />
    </Field>
  </div>
)

/** Chooses some of what has a name. What is chosen is removed by its button. */
const Chosen = ({
  chosen,
  label,
  names,
  onChange,
  problem,
  what
}: {
  readonly label: string
  /** What one of them is called. */
  readonly what: string
  readonly chosen: ReadonlyArray<string>
  readonly names: Names
  readonly problem: string | undefined
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}) => (
  <>
    <Field label={label} problem={problem}>
      <select value="" onChange={({ currentTarget }) => onChange([...chosen, currentTarget.value])}>
        <option value="">Add a {what}…</option>
        {[...(names ?? [])]
          .filter(([id]) => !chosen.includes(id))
          .map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
    </Field>
    {chosen.length > 0 && (
      <ul class="chips" aria-label={`Chosen ${label.toLowerCase()}`}>
        {chosen.map((id) => {
          const name = nameOf(id, names, what)
          return (
            <li key={id}>
              <button
                type="button"
                class="chip"
                aria-label={`Leave out ${name}`}
                onClick={() => onChange(chosen.filter((one) => one !== id))}
              >
                ✕ <bdi>{name}</bdi>
              </button>
            </li>
          )
        })}
      </ul>
    )}
  </>
)

const Actions = ({
  isBusy,
  onClose,
  word
}: {
  readonly word: string
  readonly isBusy: boolean
  readonly onClose: () => void
}) => (
  <div class="dialog-actions">
    <button type="submit" class="primary" disabled={isBusy}>
      {word}
    </button>
    <button type="button" onClick={onClose}>
      Cancel
    </button>
  </div>
)

/** The problems of a form, and the sending of it: it closes once it is saved. */
const useSending = (fields: ReadonlyArray<string>, done: string, onSaved: () => void, onClose: () => void) => {
  const [problems, setProblems] = useState<Problems>({})
  const [isBusy, setBusy] = useState(false)
  const send = async (request: Effect.Effect<unknown, unknown>) => {
    setBusy(true)
    const saved = await act(request, {
      failed: (error) => setProblems(problemsByField(error, fields, fieldOf)),
      done
    })
    setBusy(false)
    if (saved === null) return
    onSaved()
    onClose()
  }
  return { problems, setProblems, isBusy, send }
}

const limitFields = ["name", "max_running", "max_starts_per_minute", "workflow_ids", "credential_ids", "tags"]

interface Closing {
  readonly onClose: () => void
  readonly onSaved: () => void
}

export const LimitForm = ({
  before,
  onClose,
  onSaved
}: Closing & {
  /** The one to change; `null`: a new one. */
  readonly before: Limit | null
}) => {
  const [given, setGiven] = useState<Given>(blank(before))
  const names = useNames(before === null ? [] : [before])
  // Another person may have made one since the view was opened.
  useEffect(() => refresh(workflows, credentials), [])
  const done = before === null ? "The limit was made" : "The limit was changed"
  const { isBusy, problems, send, setProblems } = useSending(limitFields, done, onSaved, onClose)
  const change = (part: Partial<Given>) => {
    setGiven({ ...given, ...part })
    setProblems({})
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const read = limitOf(given)
    if (read.limit === undefined) return setProblems(read.problems)
    await send(
      before === null
        ? client().limits.createLimit({ payload: read.limit })
        : client().limits.changeLimit({ params: { limit_id: before.id }, payload: changeOf(before, read.limit) })
    )
  }
  return (
    <Dialog title={before === null ? "New limit" : "Change the limit"} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <Field label="Name" hint="Such as the portal that its runs share." problem={problems.name}>
          <input value={given.name} onInput={({ currentTarget }) => change({ name: currentTarget.value })} />
        </Field>
        <NumberFields given={given} problems={problems} onChange={change} />
        <p class="note">A run draws on it by its workflow, by a credential that it is given, or by one of its tags.</p>
        <Chosen
          label="Workflows"
          what="workflow"
          chosen={given.workflows}
          names={names.workflows}
          problem={problems.workflow_ids}
          onChange={(chosen) => change({ workflows: chosen })}
        />
        <Chosen
          label="Credentials"
          what="credential"
          chosen={given.credentials}
          names={names.credentials}
          problem={problems.credential_ids}
          onChange={(chosen) => change({ credentials: chosen })}
        />
        <Field label="Tags" hint="One a line." problem={problems.tags}>
          <textarea
            rows={2}
            spellcheck={false}
            value={given.tags}
            onInput={({ currentTarget }) => change({ tags: currentTarget.value })}
          />
        </Field>
        <Actions word={before === null ? "Create" : "Save"} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

export const PauseForm = ({ limit, onClose, onSaved }: Closing & { readonly limit: Limit }) => {
  const [reason, setReason] = useState("")
  const { isBusy, problems, send } = useSending(["reason"], "The limit is paused", onSaved, onClose)
  const submit = async (event: Event) => {
    event.preventDefault()
    const payload = reason.trim() === "" ? {} : { reason: reason.trim() }
    await send(client().limits.pauseLimit({ params: { limit_id: limit.id }, payload }))
  }
  return (
    <Dialog title={`Pause ${limit.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <p class="note">No run that draws on it starts until it is resumed. Runs that have started continue.</p>
        <Field label="Reason (optional)" problem={problems.reason}>
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </Field>
        <Actions word="Pause" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

export const OverrideForm = ({ limit, onClose, onSaved }: Closing & { readonly limit: Limit }) => {
  const [given, setGiven] = useState<TypedNumbers>(typedOf(limit))
  const [until, setUntil] = useState("")
  const fields = ["max_running", "max_starts_per_minute", "until"]
  const { isBusy, problems, send, setProblems } = useSending(fields, "The limit is overridden", onSaved, onClose)
  const submit = async (event: Event) => {
    event.preventDefault()
    const read = numbersFrom(given)
    const instant = instantFrom(until)
    if ("problems" in read || instant === null) {
      return setProblems({
        ...("problems" in read ? read.problems : {}),
        ...(instant === null ? { until: "Type the date and the time at which it ends" } : {})
      })
    }
    const payload = { ...read.numbers, until: instant }
    await send(client().limits.overrideLimit({ params: { limit_id: limit.id }, payload }))
  }
  return (
    <Dialog title={`Override ${limit.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <p class="note">These numbers are in the place of its own until then, and end by themselves.</p>
        <NumberFields
          given={given}
          problems={problems}
          onChange={(part) => {
            setGiven({ ...given, ...part })
            setProblems({})
          }}
        />
        <Field label="Until" hint={`In your zone, ${viewerZone}.`} problem={problems.until}>
          <input
            type="datetime-local"
            value={until}
            onInput={({ currentTarget }) => {
              setUntil(currentTarget.value)
              setProblems({})
            }}
          />
        </Field>
        <Actions word="Override" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
