/** The weekly hours: a row for each day, with any number of ranges. */
import { Field } from "../forms/Field.tsx"
import { Section } from "../kit/Page.tsx"
import { Clock, ClockTimes } from "./Clock.tsx"
import { type Draft, dayWords, type Range } from "./WindowModel.ts"

const zones = Intl.supportedValuesOf("timeZone")

export const Week = ({
  draft,
  onChange,
  problems
}: {
  readonly draft: Draft
  readonly problems: ReadonlyMap<string, string>
  readonly onChange: (draft: Draft) => void
}) => {
  const change = (day: number, ranges: ReadonlyArray<Range>) =>
    onChange({ ...draft, week: draft.week.map((before, index) => (index === day ? ranges : before)) })
  const add = (day: number) => {
    const last = draft.week[day]?.at(-1)
    change(day, [
      ...(draft.week[day] ?? []),
      last === undefined ? { from: "09:00", to: "17:00", isLong: false } : { from: last.to, to: "00:00", isLong: false }
    ])
  }
  return (
    <Section title="Weekly hours">
      <div class="body">
        <Field label="Time zone of the window" problem={problems.get("zone")}>
          <input
            list="zones"
            value={draft.zone}
            spellcheck={false}
            onInput={({ currentTarget }) => onChange({ ...draft, zone: currentTarget.value })}
          />
        </Field>
        <ClockTimes />
        <datalist id="zones">
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <ul class="week">
          {dayWords.map((word, day) => {
            const ranges = draft.week[day] ?? []
            return (
              <li key={word}>
                <div class="day-name">{word}</div>
                <div class="ranges">
                  {ranges.length === 0 && <span class="quiet">Closed</span>}
                  {ranges.map((range, index) => (
                    <RangeRow
                      key={index}
                      name={`${word}, range ${index + 1}`}
                      range={range}
                      problem={problems.get(`range ${day} ${index}`)}
                      onChange={(next) =>
                        change(
                          day,
                          ranges.map((one, at) => (at === index ? next : one))
                        )
                      }
                      onRemove={() =>
                        change(
                          day,
                          ranges.filter((_, at) => at !== index)
                        )
                      }
                    />
                  ))}
                </div>
                <div class="day-actions">
                  <button type="button" class="plain" aria-label={`Add hours on ${word}`} onClick={() => add(day)}>
                    + Add
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Copy to all: ${word}`}
                    title="Copy to every day"
                    disabled={ranges.length === 0}
                    onClick={() => onChange({ ...draft, week: draft.week.map(() => ranges) })}
                  >
                    Copy to all
                  </button>
                </div>
              </li>
            )
          })}
        </ul>
      </div>
    </Section>
  )
}

const RangeRow = ({
  name,
  onChange,
  onRemove,
  problem,
  range
}: {
  readonly name: string
  readonly range: Range
  readonly problem: string | undefined
  readonly onChange: (range: Range) => void
  readonly onRemove: () => void
}) => {
  const { from, isLong, to } = range
  const ends = to === "00:00" ? "until midnight" : to <= from || isLong ? "next day" : ""
  return (
    <div class="range">
      <Clock
        label={`${name}: from`}
        isWrong={problem !== undefined}
        value={from}
        onChange={(next) => onChange({ from: next, to, isLong: false })}
      />
      <span aria-hidden="true">–</span>
      <Clock
        label={`${name}: to`}
        isWrong={problem !== undefined}
        value={to}
        onChange={(next) => onChange({ from, to: next, isLong: false })}
      />
      <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
        ✕
      </button>
      <span class="quiet ends">{ends}</span>
      {problem !== undefined && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
