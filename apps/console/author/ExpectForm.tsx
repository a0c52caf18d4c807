/** What must be true after a step: one line for each condition, all of which must hold. */
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { JsonText } from "../forms/JsonText.tsx"
import { emptyLine, expectOf, type Kind, kinds, type Line, linesOf, missingIn } from "./ExpectModel.ts"

export const ExpectForm = ({
  expect,
  isBusy,
  name,
  onSet
}: {
  /** The name of the step. */
  readonly name: string
  readonly expect: unknown
  readonly isBusy: boolean
  readonly onSet: (expect: ReturnType<typeof expectOf>) => void
}) => {
  const given = linesOf(expect)
  const [lines, setLines] = useState<ReadonlyArray<Line>>(given === null || given.length === 0 ? [emptyLine] : given)
  const [isTried, setTried] = useState(false)
  if (given === null) {
    return (
      <div class="form">
        <p class="note">This step expects more than this form can show. Its JSON is part of the saved workflow.</p>
        <JsonText label={`What “${name}” expects`} value={expect} />
        <div class="row">
          <button type="button" disabled={isBusy} onClick={() => onSet(null)}>
            Expect nothing
          </button>
        </div>
      </div>
    )
  }
  const change = (index: number, changes: Partial<Line>) =>
    setLines(lines.map((line, at) => (at === index ? { ...line, ...changes } : line)))
  const send = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (lines.every((line) => missingIn(line) === null)) onSet(expectOf(lines))
  }
  const wrong = (line: Line, field: "selector" | "text") =>
    isTried && missingIn(line) === field
      ? field === "text"
        ? "Name the text that is expected"
        : "Name the element, such as //h1 or css=.total"
      : null
  return (
    <form class="form" aria-label={`What must be true after ${name}`} onSubmit={send} noValidate>
      {lines.map((line, index) => (
        <div class="cell-line" key={index}>
          <Field label={`Expectation ${index + 1}`}>
            <select
              value={line.kind}
              onChange={({ currentTarget }) => change(index, { kind: currentTarget.value as Kind })}
            >
              {(Object.keys(kinds) as ReadonlyArray<Kind>).map((kind) => (
                <option key={kind} value={kind}>
                  {kinds[kind].word}
                </option>
              ))}
            </select>
          </Field>
          {kinds[line.kind].hasSelector && (
            <Field label={`Element ${index + 1}`} problem={wrong(line, "selector")}>
              <input
                value={line.selector}
                autocomplete="off"
                onInput={({ currentTarget }) => change(index, { selector: currentTarget.value })}
              />
            </Field>
          )}
          {kinds[line.kind].hasText && (
            <Field
              label={line.kind === "request" ? `Part of its address ${index + 1}` : `Text ${index + 1}`}
              problem={wrong(line, "text")}
            >
              <input
                value={line.text}
                autocomplete="off"
                onInput={({ currentTarget }) => change(index, { text: currentTarget.value })}
              />
            </Field>
          )}
          <button
            type="button"
            class="plain"
            aria-label={`Remove expectation ${index + 1}`}
            onClick={() => setLines(lines.filter((_, at) => at !== index))}
          >
            ✕
          </button>
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => setLines([...lines, emptyLine])}>
          Add an expectation
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          {lines.length === 0 ? "Expect nothing" : "Expect this"}
        </button>
      </div>
    </form>
  )
}
