/** Registers a receiver of alerts, or changes one. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { AlertKind } from "../../../core/event/alert/Alert.ts"
import { MailSecurity, ReceiverType } from "../../../core/event/alert/AlertReceiver.ts"
import { namesOf, shortId, workflows } from "../data/Workflows.ts"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { act, client, problemsByField } from "../kit/Service.ts"
import { viewerZone } from "../kit/Times.ts"
import {
  blank,
  fieldOf,
  fields,
  type Given,
  kindWords,
  payloadOf,
  type Receiver,
  type UserForm,
  wrongOf
} from "./ReceiverModel.ts"

export const typeWords: Readonly<Record<ReceiverType, string>> = {
  mail: "Mail",
  slack: "Slack",
  teams: "Microsoft Teams"
}

const securityWords: Readonly<Record<MailSecurity, string>> = {
  tls: "TLS from the first byte",
  starttls: "STARTTLS before anything is sent",
  none: "None"
}

const userWords: Readonly<Record<UserForm, string>> = {
  kept: "As it is now",
  none: "None",
  password: "User name and password"
}

const placeholders: Readonly<Record<Exclude<ReceiverType, "mail">, string>> = {
  slack: "https://hooks.slack.com/services/…",
  teams: "https://example.webhook.office.com/…"
}

const zones = Intl.supportedValuesOf("timeZone")

interface Part {
  readonly given: Given
  readonly problems: Readonly<Record<string, string>>
  readonly onChange: (part: Partial<Given>) => void
}

type Text = { readonly [K in keyof Given]: Given[K] extends string ? K : never }[keyof Given]

/** A field of one line for a part of what is given. */
const entry =
  ({ given, onChange }: Part) =>
  (name: Text, more: object = {}) => (
    <input
      type="text"
      value={given[name]}
      onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      {...more}
    />
  )

/** A choice of one word. */
const chosen = <W extends string>(
  words: Readonly<Record<W, string>>,
  offered: ReadonlyArray<W>,
  value: W,
  onChoose: (value: W) => void
) => (
  <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as W)}>
    {offered.map((one) => (
      <option key={one} value={one}>
        {words[one]}
      </option>
    ))}
  </select>
)

/** Boxes to tick. */
const Ticks = <A extends string>({
  legend,
  offered,
  onTick,
  problem,
  ticked,
  wordOf
}: {
  readonly legend: string
  readonly offered: ReadonlyArray<A>
  readonly ticked: ReadonlyArray<A>
  readonly wordOf: (one: A) => ComponentChildren
  readonly onTick: (ticked: ReadonlyArray<A>) => void
  readonly problem?: string | undefined
}) => (
  <fieldset>
    <legend>{legend}</legend>
    <div class="ticks">
      {offered.map((one) => (
        <label key={one} class="tick">
          <input
            type="checkbox"
            checked={ticked.includes(one)}
            onChange={({ currentTarget }) =>
              onTick(currentTarget.checked ? [...ticked, one] : ticked.filter((other) => other !== one))
            }
          />
          <span>{wordOf(one)}</span>
        </label>
      ))}
    </div>
    {problem !== undefined && (
      <p class="wrong" role="alert">
        {problem}
      </p>
    )}
  </fieldset>
)

const MailFields = ({ before, ...part }: Part & { readonly before: Receiver | null }) => {
  const { given, onChange, problems } = part
  const text = entry(part)
  const forms: ReadonlyArray<UserForm> = [...(before?.smtp?.has_user ? (["kept"] as const) : []), "none", "password"]
  return (
    <>
      <div class="pair">
        <Field label="Host of the mail server" problem={problems["smtp.host"]}>
          {text("host", { placeholder: "smtp.example.com", spellcheck: false })}
        </Field>
        <Field label="Port" hint="Often 587 with STARTTLS, and 465 with TLS." problem={problems["smtp.port"]}>
          {text("port", { inputMode: "numeric" })}
        </Field>
      </div>
      <div class="pair">
        <Field label="Security" problem={problems["smtp.security"]}>
          {chosen(securityWords, MailSecurity.literals, given.security, (security) => onChange({ security }))}
        </Field>
        <Field label="User of the mail server" problem={problems["smtp.user"]}>
          {chosen(userWords, forms, given.form, (form) => onChange({ form }))}
        </Field>
      </div>
      {given.form === "password" && (
        <div class="pair">
          <Field label="User name">{text("username", { autocomplete: "off", spellcheck: false })}</Field>
          <Field label="Password">
            {text("password", { type: "password", autocomplete: "off", spellcheck: false })}
          </Field>
        </div>
      )}
      <Field label="From" problem={problems.from}>
        {text("from", { inputMode: "email", placeholder: "sluice@example.com", spellcheck: false })}
      </Field>
      <Field label="To" hint="1 to 20 addresses, with commas between them." problem={problems.to}>
        {text("to", { inputMode: "email", placeholder: "ops@example.com", spellcheck: false })}
      </Field>
    </>
  )
}

const WorkflowFields = ({ given, onChange, problems }: Part) => {
  const names = namesOf(useQuery(workflows).value)
  const gone = given.workflows.filter((id) => !names.has(id))
  return (
    <>
      <Field label="Workflows" problem={problems.workflow_ids}>
        {chosen(
          { every: "Every workflow", some: "Only those that are ticked" },
          ["every", "some"],
          given.isOfEvery ? "every" : "some",
          (which) => onChange({ isOfEvery: which === "every" })
        )}
      </Field>
      {!given.isOfEvery && (
        <Ticks
          legend="Workflows that they are told of"
          offered={[...names.keys(), ...gone]}
          ticked={given.workflows}
          wordOf={(id) => names.get(id) ?? shortId(id)}
          onTick={(ticked) => onChange({ workflows: ticked })}
        />
      )}
    </>
  )
}

const QuietFields = (part: Part) => {
  const { given, onChange, problems } = part
  const text = entry(part)
  return (
    <>
      <Field label="Quiet hours" hint="What comes in them is sent when they end.">
        {chosen({ none: "None", daily: "Each day" }, ["none", "daily"], given.isQuiet ? "daily" : "none", (which) =>
          onChange({ isQuiet: which === "daily" })
        )}
      </Field>
      {given.isQuiet && (
        <>
          <div class="pair">
            <Field label="Quiet from" problem={problems["quiet_hours.from"]}>
              {text("quietFrom", { class: "clock" })}
            </Field>
            <Field label="Quiet until" problem={problems["quiet_hours.to"]}>
              {text("quietTo", { class: "clock" })}
            </Field>
          </div>
          <Field label="Time zone" problem={problems["quiet_hours.time_zone"]}>
            {text("zone", { list: "alert-zones", spellcheck: false })}
          </Field>
          <datalist id="alert-zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <Ticks
            legend="Urgent: sent in quiet hours as well"
            offered={given.events}
            ticked={given.urgent}
            wordOf={(kind) => kindWords[kind]}
            onTick={(urgent) => onChange({ urgent })}
          />
        </>
      )}
    </>
  )
}

export const ReceiverForm = ({
  before,
  onClose,
  onSaved
}: {
  /** The one to change; `null`: a new one. */
  readonly before: Receiver | null
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const [given, setGiven] = useState<Given>(blank(before, viewerZone))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const change = (part: Partial<Given>) => {
    setGiven({ ...given, ...part })
    setProblems({})
  }
  const part = { given, problems, onChange: change }
  const text = entry(part)
  const send = async (event: Event) => {
    event.preventDefault()
    const found = wrongOf(given, before)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const payload = payloadOf(given)
    setBusy(true)
    const saved = await act(
      before === null
        ? client().alerts.createAlertReceiver({ payload: { ...payload, type: given.type } })
        : client().alerts.changeAlertReceiver({ params: { receiver_id: before.id }, payload }),
      {
        failed: (error) => setProblems(problemsByField(error, fields, fieldOf)),
        done: before === null ? "The receiver was registered" : "The receiver was changed"
      }
    )
    setBusy(false)
    if (saved === null) return
    onSaved()
    onClose()
  }
  return (
    <Dialog title={before === null ? "New receiver" : "Change the receiver"} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <Field label="Name" problem={problems.name}>
          {text("name")}
        </Field>
        {before === null && (
          <Field label="By">{chosen(typeWords, ReceiverType.literals, given.type, (type) => change({ type }))}</Field>
        )}
        {given.type === "mail" ? (
          <MailFields {...part} before={before} />
        ) : (
          <Field
            label="Address of the incoming web hook"
            hint={before === null ? "It is sealed, and not shown again." : "If empty, it does not change"}
            problem={problems.url}
          >
            {text("url", {
              ...{ inputMode: "url", autocomplete: "off", spellcheck: false },
              placeholder: placeholders[given.type]
            })}
          </Field>
        )}
        <Ticks
          legend="Events"
          offered={AlertKind.literals}
          ticked={given.events}
          wordOf={(kind) => kindWords[kind]}
          onTick={(events) => change({ events })}
          problem={problems.events}
        />
        <WorkflowFields {...part} />
        <QuietFields {...part} />
        <div class="dialog-actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {before === null ? "Register" : "Save"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
