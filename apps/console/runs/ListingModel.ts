/**
 * The list of runs in pages: how a new reading is merged into the shown list, and which rows stay in memory.
 *
 * A list keeps the ids of all its rows, and the rows themselves only near the visible ones.
 */
import type { Row } from "./RunsModel.ts"

export interface Page {
  /** The cursor of the service at which it begins; `null` for the first page. */
  readonly cursor: string | null
  /** The index of its first row in the list. */
  readonly start: number
  readonly ids: ReadonlyArray<string>
  /** `null` while its rows are not in memory. */
  readonly rows: ReadonlyArray<Row> | null
}

/** The current first page. */
export interface Fresh {
  readonly rows: ReadonlyArray<Row>
  readonly cursor: string | null
}

export interface Listing {
  readonly pages: ReadonlyArray<Page>
  /** The cursor of the next page; `null` after the last. */
  readonly next: string | null
  /** The current first page, when runs came or went while the list was still; `null` otherwise. */
  readonly arrived: (Fresh & { readonly count: number; readonly isMore: boolean }) | null
  /** The rows that no longer match the filters and keep their places while the list is still. */
  readonly gone: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** A list with its first page. */
export const beginning = ({ cursor, rows }: Fresh): Listing => ({
  pages: rows.length === 0 ? [] : [{ cursor: null, start: 0, ids: rows.map(({ session_id }) => session_id), rows }],
  next: cursor,
  arrived: null,
  gone: none
})

export const empty: Listing = beginning({ rows: [], cursor: null })

/** How many rows the list has so far. */
export const countOf = ({ pages }: Listing): number => {
  const last = pages.at(-1)
  return last === undefined ? 0 : last.start + last.ids.length
}

/** The ids of all rows, in their order. */
export const idsOf = ({ pages }: Listing): ReadonlyArray<string> => pages.flatMap(({ ids }) => ids)

/** The index of the page of a row; -1 when there is none. */
const pageAt = ({ pages }: Listing, index: number): number => {
  let [low, high] = [0, pages.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pages[middle]?.start ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return high
}

/** A row; `null` when it is not in memory. */
export const rowAt = (listing: Listing, index: number): Row | null => {
  const page = listing.pages[pageAt(listing, index)]
  return page?.rows?.[index - page.start] ?? null
}

/** The instant of a cursor, which contains one and the id of a run. */
const placeOf = (cursor: string): string => cursor.split("_")[0] ?? ""

/**
 * The list after its first page was read again. A list at its top becomes that page, so that it keeps no outdated rows. A
 * list that is still updates rows in place and moves none; new runs wait until the reader asks for them.
 */
export const joined = (listing: Listing, fresh: Fresh, isStill: boolean): Listing => {
  if (!isStill) return beginning(fresh)
  const latest = new Map(fresh.rows.map((row) => [row.session_id, row]))
  const oldest = fresh.rows.at(-1)?.created_at
  const gone = new Set<string>()
  const known = new Set<string>()
  const pages = listing.pages.map((page) => {
    for (const id of page.ids) if (latest.has(id)) known.add(id)
    if (page.rows === null) return page
    let isChanged = false
    const rows = page.rows.map((row) => {
      const now = latest.get(row.session_id)
      // Rows after the page that was read may still match.
      const isBehind = fresh.cursor !== null && (oldest === undefined || row.created_at <= oldest)
      if (now === undefined && !isBehind) gone.add(row.session_id)
      isChanged ||= now !== undefined
      return now ?? row
    })
    return isChanged ? { ...page, rows } : page
  })
  // Where rows leave the list, the page that is read reaches behind its end: those rows are older, not new.
  const end = listing.next === null ? "" : placeOf(listing.next)
  const count = fresh.rows.filter((row) => !known.has(row.session_id) && row.created_at > end).length
  return {
    pages,
    next: listing.next,
    gone,
    arrived:
      count + gone.size === 0 ? null : { ...fresh, count, isMore: count === fresh.rows.length && fresh.cursor !== null }
  }
}

/** The list with the runs that have arrived, shown from its top. */
export const admitted = (listing: Listing): Listing => (listing.arrived === null ? listing : beginning(listing.arrived))

/** The list with the next page at its end. */
export const extended = (listing: Listing, { cursor, rows: found }: Fresh): Listing => {
  const known = new Set(listing.pages.at(-1)?.ids)
  const rows = found.filter(({ session_id }) => !known.has(session_id))
  const page = {
    cursor: listing.next,
    start: countOf(listing),
    ids: rows.map(({ session_id }) => session_id),
    rows
  }
  return { ...listing, pages: rows.length === 0 ? listing.pages : [...listing.pages, page], next: cursor }
}

/**
 * The number of runs that a search finds without scrolling: the most ids that a verb takes. Scrolling finds the others.
 */
const mostFound = 10_000

/** The progress of a search by text through the runs, newest first. */
export interface Search {
  readonly state: "searching" | "stopped"
  readonly found: number
  /** The submission of the oldest run that it has read. */
  readonly backTo: string
}

/**
 * The unfinished search for a text; `null` when all matching runs are known or counted. `total` is the count of the
 * service; with a `+` at its end it is a lower bound.
 */
export const searchOf = (listing: Listing, text: string, total: string | null, isStopped: boolean): Search | null => {
  const found = countOf(listing)
  if (text === "" || listing.next === null || total?.endsWith("+") !== true || found >= mostFound) return null
  return { state: isStopped ? "stopped" : "searching", found, backTo: placeOf(listing.next) }
}

/** The known number of matching runs; with a `+` at its end a lower bound. `counted` is the count of the service. */
export const totalOf = (listing: Listing, counted: string | null): string => {
  const found = countOf(listing)
  if (counted !== null && !counted.endsWith("+")) return counted
  if (listing.next === null) return String(found - listing.gone.size + (listing.arrived?.count ?? 0))
  return `${Math.max(found, Number.parseInt(counted ?? "0", 10))}+`
}

/** The number of pages that stay in memory on each side of the visible ones. */
const around = 3

/** The list with only the rows near the visible ones; the same list when there is nothing to drop. */
export const trimmed = (listing: Listing, from: number, until: number): Listing => {
  const [first, last] = [pageAt(listing, from) - around, pageAt(listing, until) + around]
  const isFar = (index: number) => index < first || index > last
  if (!listing.pages.some(({ rows }, index) => rows !== null && isFar(index))) return listing
  return { ...listing, pages: listing.pages.map((page, index) => (isFar(index) ? { ...page, rows: null } : page)) }
}

/** The indexes of the visible pages whose rows are not in memory. */
export const missing = (listing: Listing, from: number, until: number): ReadonlyArray<number> => {
  const [first, last] = [pageAt(listing, from), pageAt(listing, until)]
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset)
  return places.filter((place) => listing.pages[place]?.rows === null)
}

/** The list with a page that was read again. Fewer rows may match the filters now. */
export const filled = (listing: Listing, place: number, rows: ReadonlyArray<Row>): Listing => {
  let start = 0
  const pages = listing.pages.map((page, index) => {
    const filling = index === place ? { ...page, ids: rows.map(({ session_id }) => session_id), rows } : page
    const moved = filling.start === start ? filling : { ...filling, start }
    start += moved.ids.length
    return moved
  })
  return { ...listing, pages }
}
