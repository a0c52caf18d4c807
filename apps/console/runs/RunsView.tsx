import { useEffect, useRef, useState } from "preact/hooks"
import { holdWords } from "../data/Holds.ts"
import { namesOf, workflows } from "../data/Workflows.ts"
import { useQuery } from "../kit/Loaded.tsx"
import { Chip, Empty, Page } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { filter, go, to } from "../kit/Route.ts"
import { may } from "../kit/Session.ts"
import { statuses, statusOf } from "../kit/Status.tsx"
import { Virtual } from "../kit/Virtual.tsx"
import { Head, Line } from "./Line.tsx"
import { useRuns } from "./Listing.ts"
import {
  admitted,
  type Filters,
  filtersOf,
  selectedAfter,
  selectionOf,
  sinces,
  sinceWords,
  toggled
} from "./RunsModel.ts"
import { Verbs } from "./Verbs.tsx"

export const RunsView = ({ query }: { readonly query: URLSearchParams }) => {
  const address = query.toString()
  const filters = filtersOf(query)
  const { again, extend, isAtTop, isRead, listing, problem, setListing, total } = useRuns(filters, address)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const lastClicked = useRef<number | null>(null)
  const names = namesOf(useQuery(workflows).value)
  const present = useAtom(now)
  const { arrived, cursor, rows } = listing
  useEffect(() => setSelected(new Set()), [address])
  const canEdit = may("Member")

  const select = (index: number, isRange: boolean) => {
    setSelected(selectedAfter(selected, rows, index, isRange ? lastClicked.current : null))
    lastClicked.current = index
  }

  return (
    <Page title="Runs" wide note={isRead ? counted(total ?? `${rows.length}${cursor === null ? "" : "+"}`) : "…"}>
      <FilterBar filters={filters} names={names} />
      {problem !== null && (
        <div class="problem" role="alert">
          {problem}
        </div>
      )}
      {canEdit && (
        <Verbs
          key={address}
          selected={rows.filter(({ session_id }) => selected.has(session_id)).map(({ session_id }) => session_id)}
          total={selected.size === rows.length && cursor !== null ? total : null}
          matching={() => selectionOf(filters, Date.now())}
          onClear={() => setSelected(new Set())}
          onDone={() => {
            setSelected(new Set())
            again()
          }}
        />
      )}
      {arrived.length > 0 && (
        <button
          type="button"
          class="arrived"
          onClick={() => {
            setListing(admitted)
            document.querySelector(".list")?.scrollTo({ top: 0 })
          }}
        >
          {arrived.length} new {arrived.length === 1 ? "run" : "runs"}: show
        </button>
      )}
      {isRead && rows.length === 0 ? (
        <NoRuns filters={filters} hasWorkflows={names.size > 0} />
      ) : (
        <Virtual
          label="Runs"
          count={rows.length}
          rowHeight={36}
          onEnd={() => void extend()}
          onScrolled={(isTop) => {
            isAtTop.current = isTop
          }}
          row={(index) => {
            const row = rows[index]
            return row === undefined ? null : (
              <Line
                row={row}
                present={present}
                isSelected={canEdit ? selected.has(row.session_id) : null}
                onSelect={(isRange) => select(index, isRange)}
              />
            )
          }}
        >
          <Head
            isSelected={canEdit ? rows.length > 0 && selected.size === rows.length : null}
            onSelect={(isSelected) => setSelected(new Set(isSelected ? rows.map(({ session_id }) => session_id) : []))}
          />
        </Virtual>
      )}
    </Page>
  )
}

const counted = (total: string): string => {
  const count = Number.parseInt(total, 10)
  return `${count.toLocaleString("en")}${total.endsWith("+") ? "+" : ""} ${total === "1" ? "run" : "runs"}, newest first`
}

const FilterBar = ({ filters, names }: { readonly filters: Filters; readonly names: ReadonlyMap<string, string> }) => (
  <div class="filters" role="group" aria-label="Filters">
    <div class="chips">
      {statuses.map((status) => (
        <Chip
          key={status}
          pressed={filters.status.includes(status)}
          onClick={() => filter({ status: toggled(filters, status) })}
        >
          {statusOf(status).word}
        </Chip>
      ))}
    </div>
    <select
      aria-label="Workflow"
      value={filters.workflow ?? ""}
      onChange={({ currentTarget }) => filter({ workflow: currentTarget.value })}
    >
      <option value="">All workflows</option>
      {[...names].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
    <select
      aria-label="Submitted within"
      value={filters.since}
      onChange={({ currentTarget }) => filter({ since: currentTarget.value === "week" ? null : currentTarget.value })}
    >
      {(Object.keys(sinces) as ReadonlyArray<keyof typeof sinces>).map((since) => (
        <option key={since} value={since}>
          {sinceWords[since]}
        </option>
      ))}
    </select>
    <select
      aria-label="Held by"
      value={filters.hold ?? ""}
      onChange={({ currentTarget }) => filter({ hold: currentTarget.value })}
    >
      <option value="">Held for any reason</option>
      {Object.entries(holdWords).map(([hold, word]) => (
        <option key={hold} value={hold}>
          {word}
        </option>
      ))}
    </select>
    <input
      type="search"
      aria-label="Text in inputs or output"
      placeholder="Text in inputs or output"
      value={filters.text}
      onChange={({ currentTarget }) => filter({ text: currentTarget.value })}
    />
    {(["credential", "error", "tag"] as const).map((name) => {
      const value = { credential: filters.credential, error: filters.errorCode, tag: filters.tag }[name]
      return value === null ? null : (
        <Chip key={name} pressed label={`Remove the filter ${name} ${value}`} onClick={() => filter({ [name]: null })}>
          {name}: {value} ✕
        </Chip>
      )
    })}
  </div>
)

const NoRuns = ({ filters, hasWorkflows }: { readonly filters: Filters; readonly hasWorkflows: boolean }) => {
  const { credential, errorCode, hold, status, tag, text, workflow } = filters
  const isFiltered =
    status.length > 0 || text !== "" || [credential, errorCode, hold, tag, workflow].some((one) => one !== null)
  if (isFiltered) {
    return (
      <Empty title="No run matches these filters">
        <button type="button" onClick={() => go(to(["runs"], { since: "month" }), { replace: true })}>
          Show all runs of the last 30 days
        </button>
      </Empty>
    )
  }
  return (
    <Empty title={`No run was submitted in the ${sinceWords[filters.since].toLowerCase()}`}>
      {hasWorkflows ? (
        <p>
          Open a <a href={to(["workflows"])}>workflow</a> and press <b>Run</b>, or submit one by <code>POST /run</code>.
        </p>
      ) : (
        <p>
          A run carries out a workflow. <a href={to(["workflows"])}>Create a workflow</a> first.
        </p>
      )}
    </Empty>
  )
}
