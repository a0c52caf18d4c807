/** The verbs for the selected runs. */
import { useState } from "preact/hooks"
import { AskedVerb } from "../data/AskedVerb.tsx"
import { type Selection, type Verb, verbs } from "../data/Verbs.ts"

export const Verbs = ({
  matching,
  onClear,
  onDone,
  selected,
  total
}: {
  readonly selected: ReadonlyArray<string>
  /** The number of runs that match the filters, when more match than are selected; else `null`. */
  readonly total: string | null
  /** The parameters that select all runs that match the filters now. */
  readonly matching: () => Readonly<Record<string, string>>
  readonly onClear: () => void
  readonly onDone: () => void
}) => {
  const [asked, ask] = useState<{ readonly verb: Verb; readonly selection: Selection } | null>(null)
  const [all, setAll] = useState<{ readonly filter: Readonly<Record<string, string>>; readonly count: string } | null>(
    null
  )
  if (selected.length === 0 && asked === null) return null
  const selection: Selection = all === null ? { session_ids: selected } : { filter: all.filter }
  return (
    <div class="verbs" role="group" aria-label="Actions for the selected runs">
      <strong>
        {all === null
          ? `${selected.length.toLocaleString("en")} ${selected.length === 1 ? "run" : "runs"} selected`
          : `All ${counted(all.count)} runs that match are selected`}
      </strong>
      {total !== null && all === null && (
        <button type="button" class="link" onClick={() => setAll({ filter: matching(), count: total })}>
          Select all {counted(total)} that match
        </button>
      )}
      {Object.values(verbs).map((verb) => (
        <button key={verb.word} type="button" onClick={() => ask({ verb, selection })}>
          {verb.word}…
        </button>
      ))}
      <button
        type="button"
        class="plain"
        onClick={() => {
          setAll(null)
          onClear()
        }}
      >
        Clear the selection
      </button>
      {asked !== null && (
        <AskedVerb
          verb={asked.verb}
          selection={asked.selection}
          onClose={(isDone) => {
            ask(null)
            if (!isDone) return
            setAll(null)
            onDone()
          }}
        />
      )}
    </div>
  )
}

/** A count as the service gives it: with a plus where there are more. */
const counted = (total: string): string =>
  `${Number.parseInt(total, 10).toLocaleString("en")}${total.endsWith("+") ? "+" : ""}`
