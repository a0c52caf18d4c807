import { useEffect, useRef, useState } from "preact/hooks"
import { holdWords } from "../data/Holds.ts"
import { WorkflowFilter } from "../data/WorkflowFilter.tsx"
import { workflows } from "../data/Workflows.ts"
import { EnteredText } from "../forms/EnteredText.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { Chip, Empty, Page } from "../kit/Page.tsx"
import { now, registry, useAtom } from "../kit/Registry.ts"
import { filter, go, route, to } from "../kit/Route.ts"
import { may } from "../kit/Session.ts"
import { statuses, statusOf } from "../kit/Statuses.ts"
import { zoned } from "../kit/Times.ts"
import { Head, Line } from "./Line.tsx"
import { useRuns } from "./Listing.ts"
import { admitted, countOf, idsOf, type Listing, rowAt, type Search } from "./ListingModel.ts"
import {
  type Filters,
  filtersOf,
  selectedAfter,
  selectionOf,
  sinces,
  sinceWords,
  unknownIn,
  withStatus
} from "./RunsModel.ts"
import { Saved } from "./Saved.tsx"
import { Verbs } from "./Verbs.tsx"
import { Virtual } from "./Virtual.tsx"

/** Whether a row of the list has the focus: the reader may be about to press a key. */
const isFocused = (): boolean => document.activeElement?.closest(".list-rows") != null

export const RunsView = ({ query }: { readonly query: URLSearchParams }) => {
  const address = query.toString()
  const filters = filtersOf(query)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const hasSelected = useRef(false)
  hasSelected.current = selected.size > 0
  // Rows do not move while the reader points at them.
  const isStill = () => hasSelected.current || isFocused()
  const unknown = unknownIn(filters)
  const { again, isAtTop, isRead, listing, look, problem, search, setListing, setStopped, total } = useRuns(
    filters,
    address,
    isStill
  )
  const lastClicked = useRef<number | null>(null)
  const hasWorkflows = (useQuery(workflows).value ?? []).length > 0
  const present = useAtom(now)
  const { arrived, gone, next } = listing
  const count = countOf(listing)
  useEffect(() => setSelected(new Set()), [address])
  const canEdit = may("Member")

  const select = (index: number, isRange: boolean) => {
    setSelected(selectedAfter(selected, idsOf(listing), index, isRange ? lastClicked.current : null))
    lastClicked.current = index
  }

  return (
    <Page title="Runs" wide note={isRead ? counted(total) : "…"}>
      <FilterBar filters={filters} query={address} />
      {(unknown ?? problem) !== null && (
        <div class="problem" role="alert">
          {unknown ?? problem}
        </div>
      )}
      {canEdit && (
        <Verbs
          key={address}
          selected={[...selected]}
          total={selected.size === count && next !== null ? total : null}
          matching={() => selectionOf(filters, Date.now())}
          onClear={() => setSelected(new Set())}
          onDone={() => {
            setSelected(new Set())
            // The reader changed the runs: the list at its top shows what is left at once.
            hasSelected.current = false
            again()
          }}
        />
      )}
      {arrived !== null && (
        <button
          type="button"
          class="arrived"
          onClick={() => {
            setListing(admitted)
            // A verb must not change runs that are no longer shown.
            const shown = new Set(arrived.rows.map(({ session_id }) => session_id))
            setSelected((before) => new Set([...before].filter((id) => shown.has(id))))
            again()
            document.querySelector(".list")?.scrollTo({ top: 0 })
          }}
        >
          {changeWords(arrived, gone.size)}: show
        </button>
      )}
      {search !== null && <Searching search={search} onStopped={setStopped} />}
      {isRead && count === 0 && next !== null ? (
        <Empty title="No run matches among the newest ones" />
      ) : isRead && count === 0 ? (
        <NoRuns filters={filters} hasWorkflows={hasWorkflows} />
      ) : (
        <Virtual
          label="Runs"
          count={count}
          rowHeight={36}
          onSight={look}
          onScrolled={(isTop) => {
            isAtTop.current = isTop
          }}
          row={(index) => {
            const row = rowAt(listing, index)
            return row === null ? null : (
              <Line
                row={row}
                present={present}
                isGone={gone.has(row.session_id)}
                isSelected={canEdit ? selected.has(row.session_id) : null}
                onSelect={(isRange) => select(index, isRange)}
              />
            )
          }}
        >
          <Head
            isSelected={canEdit ? count > 0 && selected.size === count : null}
            onSelect={(isSelected) => setSelected(new Set(isSelected ? idsOf(listing) : []))}
          />
        </Virtual>
      )}
    </Page>
  )
}

/** The progress of the search for a text, with the button that stops or continues it. */
const Searching = ({
  onStopped,
  search: { backTo, found, state }
}: {
  readonly search: Search
  readonly onStopped: (isStopped: boolean) => void
}) => (
  <div class="searching">
    <span role="status">{state === "searching" ? "Searching older runs…" : "The search was stopped."}</span>
    <span class="quiet">
      {found.toLocaleString("en")} found, back to {zoned(Date.parse(backTo))}
    </span>
    <button type="button" onClick={() => onStopped(state === "searching")}>
      {state === "searching" ? "Stop" : "Search older ones"}
    </button>
  </div>
)

const changeWords = ({ count, isMore }: NonNullable<Listing["arrived"]>, gone: number): string => {
  const more = `${count.toLocaleString("en")}${isMore ? "+" : ""}`
  return [
    ...(count === 0 ? [] : [`${more} new ${more === "1" ? "run" : "runs"}`]),
    ...(gone === 0 ? [] : [`${gone.toLocaleString("en")} no longer ${gone === 1 ? "matches" : "match"}`])
  ].join(", ")
}

const counted = (total: string): string => {
  const count = Number.parseInt(total, 10)
  // An unfinished search only knows that it has found none so far.
  if (total === "0+") return "No run found so far"
  return `${count.toLocaleString("en")}${total.endsWith("+") ? "+" : ""} ${total === "1" ? "run" : "runs"}, newest first`
}

const FilterBar = ({ filters, query }: { readonly filters: Filters; readonly query: string }) => (
  <div class="filters" role="group" aria-label="Filters">
    <div class="chips">
      {statuses.map((status) => (
        <Chip
          key={status}
          pressed={filters.status.includes(status)}
          title="With Ctrl or Shift: beside the other states"
          // The current address: another click may have changed it since this was drawn.
          onClick={({ ctrlKey, metaKey, shiftKey }) =>
            filter(withStatus(filtersOf(registry.get(route).query), status, ctrlKey || metaKey || shiftKey))
          }
        >
          {statusOf(status).word}
        </Chip>
      ))}
      <Chip pressed={filters.warned} onClick={() => filter({ warned: filters.warned ? null : "yes" })}>
        With warnings
      </Chip>
    </div>
    <WorkflowFilter workflow={filters.workflow} />
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
      <option value="">Held: any reason</option>
      {Object.entries(holdWords).map(([hold, word]) => (
        <option key={hold} value={hold}>
          {word}
        </option>
      ))}
    </select>
    <EnteredText
      asTyped
      isSearch
      aria-label="Text in inputs, output or errors"
      placeholder="Text in inputs, output or errors"
      value={filters.text}
      onEntered={(text) => filter({ text })}
    />
    {(["credential", "error", "category", "sub-type", "tag"] as const).map((name) => {
      const value = {
        credential: filters.credential,
        error: filters.errorCode,
        category: filters.errorCategory,
        "sub-type": filters.errorSubType,
        tag: filters.tag
      }[name]
      return value === null ? null : (
        <Chip key={name} pressed label={`Remove the filter ${name} ${value}`} onClick={() => filter({ [name]: null })}>
          {name}: {value} ✕
        </Chip>
      )
    })}
    <Saved query={query} />
  </div>
)

const NoRuns = ({ filters, hasWorkflows }: { readonly filters: Filters; readonly hasWorkflows: boolean }) => {
  const { credential, errorCategory, errorCode, errorSubType, hold, status, tag, text, warned, workflow } = filters
  const isFiltered =
    warned ||
    status.length > 0 ||
    text !== "" ||
    [credential, errorCategory, errorCode, errorSubType, hold, tag, workflow].some((one) => one !== null)
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
