/** Special dates: closed or open, on single dates or by a recurrence. */
import { Field } from "../forms/Field.tsx"
import { Empty, Section } from "../kit/Page.tsx"
import { Clock } from "./Clock.tsx"
import { type Draft, nextDates, ruleWords, type Special } from "./WindowModel.ts"

const rules = [
  { word: "Every week on Friday", rule: "FREQ=WEEKLY;BYDAY=FR" },
  { word: "First Monday of a month", rule: "FREQ=MONTHLY;BYDAY=1MO" },
  { word: "Last day of a month", rule: "FREQ=MONTHLY;BYMONTHDAY=-1" },
  { word: "Every year on 25 December", rule: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25" }
]

const dateText = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const Specials = ({
  draft,
  onChange,
  problems,
  today
}: {
  readonly draft: Draft
  readonly problems: ReadonlyMap<string, string>
  readonly today: number
  readonly onChange: (draft: Draft) => void
}) => {
  const { specials } = draft
  const add = (isRecurring: boolean) =>
    onChange({
      ...draft,
      specials: [
        ...specials,
        {
          isOpen: false,
          label: "",
          isRecurring,
          from: dateText(today),
          until: "",
          rule: isRecurring ? (rules[0]?.rule ?? "") : "",
          isWholeDay: true,
          start: "09:00",
          end: "12:00"
        }
      ]
    })
  return (
    <Section
      title="Special dates"
      actions={
        <>
          <button type="button" onClick={() => add(false)}>
            Add a date
          </button>
          <button type="button" onClick={() => add(true)}>
            Add a recurrence
          </button>
        </>
      }
    >
      {specials.length === 0 ? (
        <Empty title="No special dates">Holidays and other exceptions replace the weekly hours on their dates.</Empty>
      ) : (
        <ul class="specials">
          {specials.map((special, index) => (
            <li key={index}>
              <One
                special={special}
                number={index + 1}
                problemAt={(field) => problems.get(field === null ? `special ${index}` : `special ${index} ${field}`)}
                today={dateText(today)}
                onChange={(next) =>
                  onChange({ ...draft, specials: specials.map((one, at) => (at === index ? next : one)) })
                }
                onRemove={() => onChange({ ...draft, specials: specials.filter((_, at) => at !== index) })}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const One = ({
  number,
  onChange,
  onRemove,
  problemAt,
  special,
  today
}: {
  readonly special: Special
  readonly number: number
  /** The problem of a field; with `null`, of the entry as a whole. */
  readonly problemAt: (field: keyof Special | null) => string | undefined
  readonly today: string
  readonly onChange: (special: Special) => void
  readonly onRemove: () => void
}) => {
  const set = (changes: Partial<Special>) => onChange({ ...special, ...changes })
  const whole = problemAt(null)
  return (
    <fieldset>
      <legend class="row">
        <span>
          {special.label || `Special entry ${number}`}{" "}
          <span class="quiet">· {special.isRecurring ? "recurring" : "dated"}</span>
        </span>
        <button type="button" class="plain" aria-label={`Remove special entry ${number}`} onClick={onRemove}>
          ✕
        </button>
      </legend>
      <div class="pair">
        <Field label="Name" problem={problemAt("label")}>
          <input
            value={special.label}
            placeholder="Such as Christmas"
            onInput={({ currentTarget }) => set({ label: currentTarget.value })}
          />
        </Field>
        <Hours special={special} problemAt={problemAt} set={set} />
        <Dates number={number} problemAt={problemAt} set={set} special={special} today={today} />
      </div>
      {whole !== undefined && (
        <p class="wrong" role="alert">
          {whole}
        </p>
      )}
    </fieldset>
  )
}

/** The days of an entry: those of its rule, or those between two dates. */
const Dates = ({
  number,
  problemAt,
  set,
  special,
  today
}: {
  readonly special: Special
  readonly number: number
  readonly problemAt: (field: keyof Special) => string | undefined
  readonly today: string
  readonly set: (changes: Partial<Special>) => void
}) => {
  if (!special.isRecurring) {
    return (
      <>
        <Field label="First date" problem={problemAt("from")}>
          <input type="date" value={special.from} onInput={({ currentTarget }) => set({ from: currentTarget.value })} />
        </Field>
        <Field label="Last date (optional)" problem={problemAt("until")}>
          <input
            type="date"
            value={special.until}
            onInput={({ currentTarget }) => set({ until: currentTarget.value })}
          />
        </Field>
      </>
    )
  }
  const next = nextDates(special.rule, special.from, today, 4)
  return (
    <>
      <Field label="Rule (RFC 5545)" hint={ruleWords(special.rule) ?? undefined} problem={problemAt("rule")}>
        <input
          list={`rules-${number}`}
          class="mono"
          spellcheck={false}
          value={special.rule}
          onInput={({ currentTarget }) => set({ rule: currentTarget.value })}
        />
      </Field>
      <datalist id={`rules-${number}`}>
        {rules.map(({ rule, word }) => (
          <option key={rule} value={rule}>
            {word}
          </option>
        ))}
      </datalist>
      <Field
        label="First date"
        hint={next.length === 0 ? "No date follows" : `Next: ${next.join(", ")}`}
        problem={problemAt("from")}
      >
        <input type="date" value={special.from} onInput={({ currentTarget }) => set({ from: currentTarget.value })} />
      </Field>
    </>
  )
}

/** Whether and at which hours runs may start on the date. */
const Hours = ({
  problemAt,
  set,
  special
}: {
  readonly special: Special
  readonly problemAt: (field: keyof Special) => string | undefined
  readonly set: (changes: Partial<Special>) => void
}) => (
  <>
    <Field label="Runs">
      <select
        value={special.isOpen ? (special.isWholeDay ? "all" : "hours") : special.isWholeDay ? "closed" : "closed-hours"}
        onChange={({ currentTarget: { value } }) =>
          set({ isOpen: value === "all" || value === "hours", isWholeDay: value === "all" || value === "closed" })
        }
      >
        <option value="closed">wait all day</option>
        <option value="closed-hours">wait between</option>
        <option value="all">may start all day, until 23:59</option>
        <option value="hours">may start between</option>
      </select>
    </Field>
    {!special.isWholeDay && (
      <>
        <Field label="From" problem={problemAt("start")}>
          <Clock value={special.start} onChange={(start) => set({ start })} />
        </Field>
        <Field label="To" problem={problemAt("end")}>
          <Clock value={special.end} onChange={(end) => set({ end })} />
        </Field>
      </>
    )}
  </>
)
