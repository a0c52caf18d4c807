/** The chosen element: its selectors, and the steps that it allows. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import {
  type Candidate,
  type ClickType,
  called,
  chooseIn,
  clickOn,
  type Entry,
  inEachRow,
  inputOf,
  type Loop,
  lastRows,
  onPages,
  proposed,
  putFile,
  type Source,
  sourceFor,
  takesFile,
  typeInto,
  wrongMost
} from "./AuthorModel.ts"
import { CodeEntry } from "./CodeEntry.tsx"
import { conditionsOf, type PageCondition } from "./ConditionModel.ts"
import type { Draft, PageTarget } from "./Conversation.ts"

interface Props {
  readonly target: PageTarget
  readonly draft: Draft
  /** The loop that the next step goes into. */
  readonly loop: Loop | null
  readonly sources: ReadonlyArray<Source>
  /** The credentials of the vault, and the address of the page. */
  readonly entries: ReadonlyArray<Entry>
  readonly url: string
  readonly isBusy: boolean
  /** Sends messages in turn. */
  readonly onSay: (texts: ReadonlyArray<string>) => void
  /** Does a step, after a message that adds the input or the credential that it uses. */
  readonly onDo: (candidate: Candidate, adds?: string | null) => void
  /** The step that a condition of the element may be put around: the selected one. */
  readonly step: { readonly id: string; readonly name: string } | null
  readonly onCondition: (step: string, condition: PageCondition) => void
  /** Begins a loop over the rows of the list that contains the element. */
  readonly onEach: () => void
  readonly onRead: (target: PageTarget) => void
  /** Sends the message that repeats the last step on every page; `null` when there is no step. */
  readonly onPages: ((text: string) => void) | null
  readonly onClose: () => void
}

export const Chosen = (props: Props) => {
  const { isBusy, loop, onClose, onEach, target } = props
  const [selector, setSelector] = useState(proposed(target, loop))
  const [isCode, setCode] = useState(target.code)
  const inRow = inEachRow(target, loop)
  const ways = [...(inRow === null ? [] : [{ selector: inRow, matches: 1 }]), ...target.selectors]
  const body = useRef<HTMLDivElement>(null)
  // After choosing a field, a person types.
  useLayoutEffect(() => body.current?.querySelector<HTMLElement>("input, select, button")?.focus(), [])
  return (
    <Section
      title={capitalized(called(target))}
      actions={
        <button type="button" class="plain" aria-label="Deselect the element" onClick={onClose}>
          ✕
        </button>
      }
    >
      <div class="body" ref={body}>
        {isCode ? (
          <CodeEntry {...props} selector={selector} onOther={() => setCode(false)} />
        ) : takesFile(target) ? (
          <Uploading {...props} selector={selector} />
        ) : target.kind === "type" ? (
          <Typing {...props} selector={selector} />
        ) : target.kind === "choose" ? (
          <Choosing {...props} selector={selector} />
        ) : (
          <Pressing {...props} selector={selector} />
        )}
        {target.kind === "press" && !takesFile(target) && /^[/(]/.test(selector) && (
          <Paging {...props} selector={selector} />
        )}
        {target.row !== null && target.row.matches > 1 && inRow === null && (
          <div class="row">
            <button
              type="button"
              title="Begins a loop: what you do next is done for each row of this list"
              disabled={isBusy}
              onClick={onEach}
            >
              For each of the {target.row.matches} rows
            </button>
          </div>
        )}
        <Conditions {...props} />
        <details>
          <summary>
            Found by <code>{selector}</code>
          </summary>
          <fieldset class="ways">
            <legend>Another way to find it</legend>
            {ways.map((way) => (
              <label key={way.selector} class="tick">
                <input
                  type="radio"
                  name="selector"
                  checked={way.selector === selector}
                  onChange={() => setSelector(way.selector)}
                />
                <span>
                  <code>{way.selector}</code>{" "}
                  <span class={way.matches === 1 ? "quiet" : "status held"}>
                    {way.selector === inRow
                      ? "is in the row of each turn"
                      : way.matches === 1
                        ? "matches only this element"
                        : `matches ${way.matches} elements`}
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        </details>
      </div>
    </Section>
  )
}

/** Puts a step in a condition from what is on the page. */
const Conditions = ({ isBusy, onCondition, step, target, url }: Props) => {
  const conditions = conditionsOf(target, url)
  if (conditions.length === 0) return null
  if (step === null) {
    return (
      <details>
        <summary>Do a step only if…</summary>
        <p class="note">Select the step in the column, once another step follows it.</p>
      </details>
    )
  }
  return (
    <details>
      <summary>Do “{step.name}” only if…</summary>
      <ul class="ways" aria-label="Conditions from the page">
        {conditions.map((condition) => (
          <li key={condition.word}>
            <button type="button" disabled={isBusy} onClick={() => onCondition(step.id, condition)}>
              {condition.word}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

type Inner = Props & { readonly selector: string }

const Pressing = ({ isBusy, onDo, onRead, selector, target }: Inner) => {
  const click = (word: string, type: ClickType, isPrimary = false) => (
    <button
      type="button"
      class={isPrimary ? "primary" : undefined}
      disabled={isBusy}
      onClick={() => onDo(clickOn(target, selector, type))}
    >
      {word}
    </button>
  )
  return (
    <div class="row">
      {click("Click", "click", target.kind === "press")}
      {click("Double-click", "double_click")}
      {click("Hover over", "hover")}
      <button type="button" disabled={isBusy} onClick={() => onRead(target)}>
        Read it
      </button>
    </div>
  )
}

/** Repeats what was done last on every page that the element leads to. */
const Paging = ({ draft, isBusy, onPages: send, selector }: Inner) => {
  const [most, setMost] = useState("")
  const [isUntilRows, setUntilRows] = useState(false)
  const [below, setBelow] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  if (send === null) return null
  const rows = lastRows(draft)
  const what = draft.cursor.way === "loop_done" ? "loop" : "last step"
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setProblem(wrongMost(most))
        if (wrongMost(most) === null) send(onPages(selector, { most, below, rows: isUntilRows ? rows : null }))
      }}
    >
      {rows !== null && (
        <>
          <Field label="The last page is where">
            <select
              value={isUntilRows ? "rows" : "element"}
              onChange={({ currentTarget }) => setUntilRows(currentTarget.value === "rows")}
            >
              <option value="element">this element is gone</option>
              <option value="rows">no new rows come</option>
            </select>
          </Field>
          <label class="tick">
            <input type="checkbox" checked={below} onChange={({ currentTarget }) => setBelow(currentTarget.checked)} />
            New rows come below the others
          </label>
        </>
      )}
      <Field label="Pages at most (optional)" problem={problem}>
        <input inputMode="numeric" value={most} onInput={({ currentTarget }) => setMost(currentTarget.value)} />
      </Field>
      <div class="row">
        <button
          type="submit"
          title={
            below
              ? `The element loads further rows. The workflow clicks it as long as they come, and then does the ${what} once`
              : `The element leads to the next page. The workflow clicks it as long as there is one, and repeats the ${what} on each page`
          }
          disabled={isBusy}
        >
          {below ? `Load all rows before the ${what}` : `Repeat the ${what} on every page`}
        </button>
      </div>
    </form>
  )
}

interface Written {
  readonly autocomplete: "off"
  readonly value: string
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
}

/** What is typed, with its label: as the field on the page takes it. */
const written = ({ role, secret }: PageTarget, given: Written) => {
  if (secret) return { label: "Text", field: <input type="password" {...given} /> }
  switch (role) {
    case "date field":
      return { label: "Date", field: <input type="date" {...given} /> }
    case "time field":
      return { label: "Time", field: <input type="time" {...given} /> }
    case "month field":
      return { label: "Month", field: <input type="month" {...given} /> }
    case "datetime-local field":
      return { label: "Date and time", field: <input type="datetime-local" {...given} /> }
    default:
      return { label: "Text", field: <input {...given} /> }
  }
}

const Typing = ({ draft, isBusy, onDo, selector, sources, target }: Inner) => {
  const [source, setSource] = useState(sourceFor(target, sources))
  const [text, setText] = useState("")
  const [isSent, setSent] = useState(false)
  const send = (event: Event) => {
    event.preventDefault()
    const { adds = null } = sources.find(({ expression }) => expression === source) ?? {}
    onDo(typeInto(target, selector, source === "" ? text : source, isSent), adds)
  }
  const input = inputOf(target, text, draft)
  const { field, label } = written(target, {
    autocomplete: "off",
    value: text,
    onInput: ({ currentTarget }) => setText(currentTarget.value)
  })
  return (
    <form class="form" onSubmit={send}>
      {sources.length > 0 && (
        <Field label="What to type">
          <select value={source} onChange={({ currentTarget }) => setSource(currentTarget.value)}>
            <option value="">The text below</option>
            {sources.map(({ expression, word }) => (
              <option key={expression} value={expression}>
                {word}
              </option>
            ))}
          </select>
        </Field>
      )}
      {source === "" && (
        <Field
          label={label}
          hint={
            target.secret
              ? "This text becomes part of the workflow, which others can read. Use a credential of the vault for a password"
              : undefined
          }
        >
          {field}
        </Field>
      )}
      {target.secret && !sources.some(({ expression }) => expression.endsWith(".PASSWORD}}")) && (
        <p class="note">
          The vault has no credential for this site. <a href={to(["vault"])}>Add it</a>, and come back to this
          recording.
        </p>
      )}
      <label class="tick">
        <input type="checkbox" checked={isSent} onChange={({ currentTarget }) => setSent(currentTarget.checked)} />
        Press Enter afterwards
      </label>
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Type it
        </button>
        {source === "" && !target.secret && text.trim() !== "" && (
          <button
            type="button"
            title="It differs from run to run: each run is given it"
            disabled={isBusy}
            onClick={() => onDo(typeInto(target, selector, input.expression, isSent), input.adds)}
          >
            Type it as input “{input.name}”
          </button>
        )}
        {!target.secret && (
          <button
            type="button"
            title="Some fields open a list or a calendar"
            disabled={isBusy}
            onClick={() => onDo(clickOn(target, selector))}
          >
            Click it instead
          </button>
        )}
      </div>
    </form>
  )
}

/** Puts a file into a field: that of an address, or one that each run is given. */
const Uploading = ({ draft, isBusy, onDo, selector, sources, target }: Inner) => {
  const [source, setSource] = useState("")
  const [address, setAddress] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const inputs = sources.filter(
    ({ adds, expression }) => adds === null && !/\.(USER_NAME|PASSWORD)\}\}$/.test(expression)
  )
  const put = (given: string, adds: string | null = null) => {
    const isWrong = source === "" && !/^https?:/.test(address.trim())
    setProblem(isWrong ? "Expected an address such as https://example.com/receipt.pdf" : null)
    if (!isWrong) onDo(putFile(target, selector, given), adds)
  }
  const input = inputOf(target, address.trim(), draft)
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        put(source === "" ? address.trim() : source)
      }}
    >
      {inputs.length > 0 && (
        <Field label="Which file">
          <select value={source} onChange={({ currentTarget }) => setSource(currentTarget.value)}>
            <option value="">That of the address below</option>
            {inputs.map(({ expression, word }) => (
              <option key={expression} value={expression}>
                {word}
              </option>
            ))}
          </select>
        </Field>
      )}
      {source === "" && (
        <Field label="Address of the file" hint="The service reads it from there, at most 100 MB" problem={problem}>
          <input
            inputMode="url"
            autocomplete="off"
            value={address}
            onInput={({ currentTarget }) => setAddress(currentTarget.value)}
          />
        </Field>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Put it there
        </button>
        {source === "" && (
          <button
            type="button"
            title="It differs from run to run: each run is given it"
            disabled={isBusy}
            onClick={() => put(input.expression, input.adds)}
          >
            Put it there as input “{input.name}”
          </button>
        )}
      </div>
    </form>
  )
}

const Choosing = ({ draft, isBusy, onDo, selector, sources, target }: Inner) => {
  const [value, setValue] = useState(sourceFor(target, sources) || (target.options[0] ?? ""))
  const send = (event: Event) => {
    event.preventDefault()
    onDo(chooseIn(target, selector, value))
  }
  const input = inputOf(target, value, draft)
  return (
    <form class="form" onSubmit={send}>
      <Field label="Option">
        <select value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)}>
          {target.options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
          {sources
            .filter(({ adds }) => adds === null)
            .map(({ expression, word }) => (
              <option key={expression} value={expression}>
                {word}
              </option>
            ))}
        </select>
      </Field>
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Choose it
        </button>
        {target.options.includes(value) && (
          <button
            type="button"
            title="It differs from run to run: each run is given it"
            disabled={isBusy}
            onClick={() => onDo(chooseIn(target, selector, input.expression), input.adds)}
          >
            Choose it as input “{input.name}”
          </button>
        )}
      </div>
    </form>
  )
}
