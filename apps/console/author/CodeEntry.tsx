/** The form for a field that takes a one-time code: where the code comes from. */
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import type { Entry } from "./AuthorModel.ts"
import { codeSourcesOf, entering } from "./CodeModel.ts"
import type { Draft, PageTarget } from "./Conversation.ts"

export const CodeEntry = ({
  draft,
  entries,
  isBusy,
  onOther,
  onSay,
  selector,
  target,
  url
}: {
  readonly target: PageTarget
  readonly selector: string
  readonly draft: Draft
  readonly entries: ReadonlyArray<Entry>
  /** The address of the page. */
  readonly url: string
  readonly isBusy: boolean
  readonly onSay: (texts: ReadonlyArray<string>) => void
  /** Another text is typed into the field. */
  readonly onOther: () => void
}) => {
  const [chosen, choose] = useState(0)
  const [code, setCode] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const sources = codeSourcesOf(entries, url, draft)
  const source = sources[chosen] ?? sources[0]
  if (source === undefined) return null
  const send = (event: Event) => {
    event.preventDefault()
    const isMissing = source.isAsked && code.trim() === ""
    setProblem(isMissing ? "Enter the code that the site has asked for" : null)
    if (!isMissing) onSay(entering(source, target, selector, code))
  }
  return (
    <form class="form" onSubmit={send} noValidate>
      <p class="note">This field takes a one-time code, which differs each time.</p>
      <Field label="Where the code comes from">
        <select value={String(chosen)} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
          {sources.map(({ word }, index) => (
            <option key={word} value={String(index)}>
              {word}
            </option>
          ))}
        </select>
      </Field>
      {source.isAsked && (
        <Field label="The code now" hint="For this recording alone: the workflow does not contain it" problem={problem}>
          <input
            autocomplete="off"
            inputMode="numeric"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </Field>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Enter the code
        </button>
        <button type="button" onClick={onOther}>
          Type another text
        </button>
      </div>
    </form>
  )
}
