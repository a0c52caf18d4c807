/** All runs: filters in the address, newest first, changing as they change. */
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { namesOf, shortId, workflows } from "../data/Workflows.ts"
import { useQuery } from "../kit/Loaded.tsx"
import { Chip, Empty, Page } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { filter, go, to } from "../kit/Route.ts"
import { client, reasonOf } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago, Status, statuses, statusOf } from "../kit/Status.tsx"
import { duration } from "../kit/Times.ts"
import { Virtual } from "../kit/Virtual.tsx"
import {
  admitted,
  extended,
  type Filters,
  filtersOf,
  holdWords,
  joined,
  type Listing,
  parametersOf,
  selectedAfter,
  sinces,
  sinceWords,
  toggled,
  tookMillis,
  whyOf
} from "./RunsModel.ts"
import { Verbs } from "./Verbs.tsx"

const pageSize = 200
const refreshMillis = 2_500

const empty: Listing = { rows: [], arrived: [], cursor: null }

const readPage = (filters: Filters, cursor: string | null) =>
  client()
    .runs.listRuns({ query: parametersOf(filters, Date.now(), pageSize, cursor), responseMode: "decoded-and-response" })
    .pipe(
      Effect.map(([rows, response]) => ({
        rows,
        cursor: response.headers["x-next-cursor"] ?? null,
        total: response.headers["x-total-count"] ?? null
      }))
    )

/** The ids of all runs that match filters, as many as one request may name. */
const readIds = (filters: Filters) =>
  Effect.suspend(() => client().runs.listRuns({ query: parametersOf(filters, Date.now(), 10_000, null) })).pipe(
    Effect.map((rows) => rows.map(({ session_id }) => session_id))
  )

/** The runs that match filters, read again every few seconds while the page is in sight. */
const useRuns = (filters: Filters, address: string) => {
  const [listing, setListing] = useState<Listing>(empty)
  const [problem, setProblem] = useState<string | null>(null)
  const [isRead, setRead] = useState(false)
  const [total, setTotal] = useState<string | null>(null)
  const isAtTop = useRef(true)
  const isExtending = useRef(false)
  const readAgain = useRef(() => {})

  useEffect(() => {
    let isCurrent = true
    setListing(empty)
    setRead(false)
    const read = async (isFirst: boolean) => {
      const result = await Effect.runPromise(Effect.result(readPage(filters, null)))
      if (!isCurrent) return
      setRead(true)
      setProblem(result._tag === "Failure" ? reasonOf(result.failure) : null)
      if (result._tag === "Failure") return
      const { cursor, rows } = result.success
      setTotal(result.success.total)
      setListing((before) =>
        isFirst ? { rows, arrived: [], cursor } : joined(before, rows, isAtTop.current, cursor === null)
      )
    }
    readAgain.current = () => void read(false)
    void read(true)
    const timer = setInterval(() => document.visibilityState === "visible" && void read(false), refreshMillis)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [address])

  const extend = async () => {
    const { cursor } = listing
    if (cursor === null || isExtending.current) return
    isExtending.current = true
    const result = await Effect.runPromise(Effect.result(readPage(filters, cursor)))
    isExtending.current = false
    if (result._tag === "Success") {
      setListing((before) => extended(before, result.success.rows, result.success.cursor))
    }
  }

  return { listing, setListing, problem, isRead, isAtTop, extend, total, again: () => readAgain.current() }
}

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
    <Page title="Runs" wide note={counted(total ?? `${rows.length}${cursor === null ? "" : "+"}`)}>
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
          matching={readIds(filters)}
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
            if (row === undefined) return null
            const took = tookMillis(row, present)
            const name = row.workflow_name
            const why = whyOf(row)
            return (
              <>
                <span role="cell" class="c-check">
                  {canEdit && (
                    <input
                      type="checkbox"
                      aria-label={`Select run ${shortId(row.session_id)}`}
                      checked={selected.has(row.session_id)}
                      onClick={(event) => select(index, event.shiftKey)}
                    />
                  )}
                </span>
                <span role="cell" class="c-status">
                  <Status status={row.status} />
                </span>
                <span role="cell" class="c-name">
                  <a href={to(["runs", row.session_id])} title={name}>
                    {name}
                  </a>
                  {row.dry_run && <span class="tag">dry run</span>}
                </span>
                <span role="cell" class="c-why" title={why}>
                  {why}
                </span>
                <span role="cell" class="c-id mono">
                  {shortId(row.session_id)}
                </span>
                <span role="cell" class="c-time">
                  <Ago at={row.created_at} />
                </span>
                <span role="cell" class="c-took">
                  {took === null ? <span class="quiet">–</span> : duration(took)}
                </span>
              </>
            )
          }}
        >
          <div role="rowgroup" class="list-head">
            <div role="row" aria-rowindex={1}>
              <span role="columnheader" class="c-check">
                {canEdit && (
                  <input
                    type="checkbox"
                    aria-label="Select all runs in the list"
                    checked={rows.length > 0 && selected.size === rows.length}
                    onClick={({ currentTarget }) =>
                      setSelected(new Set(currentTarget.checked ? rows.map(({ session_id }) => session_id) : []))
                    }
                  />
                )}
              </span>
              <span role="columnheader" class="c-status">
                State
              </span>
              <span role="columnheader" class="c-name">
                Workflow
              </span>
              <span role="columnheader" class="c-why">
                Why
              </span>
              <span role="columnheader" class="c-id">
                Run
              </span>
              <span role="columnheader" class="c-time">
                Submitted
              </span>
              <span role="columnheader" class="c-took">
                Took
              </span>
            </div>
          </div>
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
      <option value="">Held by anything</option>
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
