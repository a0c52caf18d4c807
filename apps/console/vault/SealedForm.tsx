/** Forms whose values are sealed in the browser, with a typed key that is not sent. */
import { type Effect, Redacted } from "effect"
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { act, problemsOf as issuesOf, reasonOf } from "../kit/Service.ts"
import { sealed } from "./Sealing.ts"

export const secret = { type: "password" as const, autocomplete: "off" as const, spellcheck: false }

/** The field of the key that seals the values of a form. */
export const KeyField = ({
  onInput,
  problem,
  value
}: {
  readonly value: string
  readonly problem: string | undefined
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}) => (
  <Field
    label="Encryption key of the workspace"
    hint={
      <>
        64 hexadecimal digits, as <code>sluice keys encryption</code> prints them. It seals the values here and is sent
        nowhere.
      </>
    }
    problem={problem}
  >
    <input {...secret} value={value} onInput={onInput} />
  </Field>
)

type Input = { readonly currentTarget: HTMLInputElement | HTMLSelectElement }

/** A form that seals its values with the key typed in it before it sends them. */
export const useSealing = <G extends { readonly key: string }>({
  blank,
  done,
  onDone,
  paths,
  store,
  wrongOf
}: {
  readonly blank: G
  /** The message after the storing. */
  readonly done: string
  readonly onDone: () => void
  /** The field for each path of the request at which the service may find a problem. */
  readonly paths: Readonly<Record<string, keyof G>>
  readonly store: (given: G, seal: (value: string) => Promise<string>) => Promise<Effect.Effect<unknown, unknown>>
  readonly wrongOf: (given: G) => Partial<Record<keyof G, string>>
}) => {
  const [given, setGiven] = useState(blank)
  const [problems, setProblems] = useState<Partial<Record<keyof G, string>>>({})
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const set = (name: keyof G) => (event: Input) => {
    setGiven({ ...given, [name]: event.currentTarget.value })
    // The problem was that of the former value.
    setProblems(({ [name]: _, ...others }) => others as typeof problems)
  }
  const refused = (error: unknown) => {
    const found = issuesOf(error).map(({ message, path }) => ({ field: paths[path], message }))
    const known = found.flatMap(({ field, message }) => (field === undefined ? [] : [[field, message] as const]))
    setProblems(Object.fromEntries(known) as Partial<Record<keyof G, string>>)
    setRefusal(known.length === found.length && known.length > 0 ? null : reasonOf(error))
  }
  const send = async (event: Event) => {
    event.preventDefault()
    const wrong = wrongOf(given)
    setProblems(wrong)
    setRefusal(null)
    if (Object.keys(wrong).length > 0) return
    setBusy(true)
    const seal = (value: string) => sealed(Redacted.make(given.key.trim()), Redacted.make(value))
    const stored = await act(await store(given, seal), { done, failed: refused })
    setBusy(false)
    if (stored !== null) onDone()
  }
  return { given, problems, refusal, isBusy, set, send }
}

/** The end of a form: why the service refused it, and the button that sends it. */
export const Sending = ({
  isBusy,
  refusal,
  word
}: {
  readonly refusal: string | null
  readonly isBusy: boolean
  readonly word: string
}) => (
  <>
    {refusal !== null && (
      <p class="wrong" role="alert">
        {refusal}
      </p>
    )}
    <button type="submit" class="primary" disabled={isBusy}>
      {word}
    </button>
  </>
)
