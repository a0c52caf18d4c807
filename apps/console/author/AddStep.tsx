/** Steps that need no element of the page. */
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { Section } from "../kit/Page.tsx"
import { query } from "../kit/Service.ts"
import { type Candidate, type PaletteName, palette } from "./AuthorModel.ts"

const installation = query((client) => client.installation.readInstallation())

/** The actions; a task is described to a model, where one is configured. */
const useNames = () => {
  const hasModel = (useQuery(installation).value?.models.names.length ?? 0) > 0
  return (Object.keys(palette) as ReadonlyArray<PaletteName>).filter((name) => hasModel || name !== "task")
}

export const AddStep = ({
  isBusy,
  onDo
}: {
  readonly isBusy: boolean
  readonly onDo: (candidate: Candidate) => void
}) => {
  const names = useNames()
  const [chosen, choose] = useState<PaletteName>("open")
  const [text, setText] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { asks, make } = palette[chosen]
  const send = (event: Event) => {
    event.preventDefault()
    const given = text ?? asks?.initial ?? ""
    const wrong = asks?.wrong(given) ?? null
    setProblem(wrong)
    if (wrong === null) onDo(make(given))
  }
  return (
    <Section title="Add a step">
      <form class="body form" onSubmit={send} noValidate>
        <Field label="Action">
          <select
            value={chosen}
            onChange={({ currentTarget }) => {
              choose(currentTarget.value as PaletteName)
              setText(null)
              setProblem(null)
            }}
          >
            {names.map((name) => (
              <option key={name} value={name}>
                {palette[name].word}
              </option>
            ))}
          </select>
        </Field>
        {asks !== null && (
          <Field label={asks.label} problem={problem}>
            <input
              inputMode={asks.type === "url" ? "url" : "text"}
              value={text ?? asks.initial}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </Field>
        )}
        <button type="submit" disabled={isBusy}>
          Do it
        </button>
      </form>
    </Section>
  )
}
