/** A form made from a JSON schema. A problem is shown at its field, and a refusal keeps what was typed. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Field } from "./Field.tsx"
import { JsonArea } from "./JsonArea.tsx"
import { typedSince } from "./Saved.ts"
import { type FieldModel, fieldsOf, type Json, read } from "./SchemaModel.ts"

export const SchemaForm = ({
  children,
  onSend,
  problems: given = {},
  schema,
  send,
  values = {}
}: {
  readonly schema: Readonly<Record<string, unknown>>
  readonly values?: Readonly<Record<string, unknown>>
  /** The problems that the service found, by field name. Those of no field are shown above the button. */
  readonly problems?: Readonly<Record<string, string>>
  readonly send: string
  /** If it resolves to `true`, the values are stored: the form shows `values` then, and what was typed since. */
  readonly onSend: (values: Readonly<Record<string, Json>>) => Promise<unknown>
  readonly children?: ComponentChildren
}) => {
  const fields = fieldsOf(schema, values)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [found, setFound] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const names = new Set(fields.map(({ name }) => name))
  const others = Object.entries(given).filter(([name]) => !names.has(name))
  const submit = async (event: Event) => {
    event.preventDefault()
    const { problems, values } = read(fields, texts)
    setFound(problems)
    if (Object.keys(problems).length > 0) return
    setBusy(true)
    const isStored = await onSend(values)
    setBusy(false)
    if (isStored === true) setTexts((now) => typedSince(now, texts))
  }
  return (
    <form class="form" onSubmit={submit} noValidate>
      <SchemaFields fields={fields} texts={texts} problems={{ ...given, ...found }} onTexts={setTexts} />
      {children}
      {others.length > 0 && (
        <p class="wrong" role="alert">
          {others.map(([name, message]) => (name === "" ? message : `${name}: ${message}`)).join(". ")}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {send}
      </button>
    </form>
  )
}

/** The fields of a form that has others beside them. */
export const SchemaFields = ({
  fields,
  onTexts,
  problems,
  texts
}: {
  readonly fields: ReadonlyArray<FieldModel>
  /** What was typed, by field name. */
  readonly texts: Readonly<Record<string, string>>
  readonly problems: Readonly<Record<string, string>>
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void
}) => (
  <>
    {fields.map((field) => (
      <Field
        key={field.name}
        label={field.isRequired ? field.label : `${field.label} (optional)`}
        hint={field.hint === "" ? undefined : field.hint}
        problem={problems[field.name]}
      >
        {control(field, texts[field.name] ?? field.initial, (text) => onTexts({ ...texts, [field.name]: text }))}
      </Field>
    ))}
  </>
)

const control = (field: FieldModel, text: string, change: (text: string) => void) => {
  switch (field.kind) {
    case "choice":
      return (
        <select value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="">{field.isRequired ? "Choose…" : "None"}</option>
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )
    case "switch":
      return (
        <input
          type="checkbox"
          checked={text === "true"}
          onChange={({ currentTarget }) => change(String(currentTarget.checked))}
        />
      )
    case "json":
      return <JsonArea rows={4} value={text} onText={change} />
    case "secret":
      return (
        <input
          type="password"
          autocomplete="one-time-code"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )
    default:
      return (
        <input
          type="text"
          inputMode={field.kind === "integer" || field.kind === "number" ? "decimal" : "text"}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )
  }
}
