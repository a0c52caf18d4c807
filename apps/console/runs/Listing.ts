/** Reads the list of runs, and reads it again when something happens. */
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { useChanges } from "../data/Live.ts"
import { client, reasonOf } from "../kit/Service.ts"
import * as Listing from "./ListingModel.ts"
import { type Filters, parametersOf } from "./RunsModel.ts"

/**
 * How many runs a page has at most. The first one is read again and again while things happen, and fills a screen. One of a
 * search has more, so that a search takes fewer of them.
 */
const pageSizeOf = (filters: Filters, cursor: string | null): number => {
  if (filters.text !== "") return 200
  return cursor === null ? 60 : 100
}

const readPage = (filters: Filters, cursor: string | null) =>
  client()
    .runs.listRuns({
      query: parametersOf(filters, Date.now(), pageSizeOf(filters, cursor), cursor),
      responseMode: "decoded-and-response"
    })
    .pipe(
      Effect.map(([rows, response]) => ({
        rows,
        cursor: response.headers["x-next-cursor"] ?? null,
        total: response.headers["x-total-count"] ?? null
      }))
    )

/**
 * The runs that match filters, read again when something happens while the page is in sight. `isStill` says whether rows
 * must stay where they are, although the list shows its top.
 *
 * A page of a search by text looks through the newest runs alone. The search then continues through older ones: until
 * its end, until it has found as many as it may, or until its reader stops it.
 */
export const useRuns = (filters: Filters, address: string, isStill: () => boolean) => {
  const [listing, setListing] = useState(Listing.empty)
  const [problem, setProblem] = useState<string | null>(null)
  const [isRead, setRead] = useState(false)
  const [total, setTotal] = useState<string | null>(null)
  const isAtTop = useRef(true)
  const [isStopped, setStopped] = useState(false)
  /** Whether the list has what a search found behind its first page, which is read again only when asked for. */
  const hasSearched = useRef(false)
  const pending = useRef(new Set<string>())
  const readAgain = useRef(() => {})

  useEffect(() => {
    let isCurrent = true
    let isReading = false
    let isOutdated = false
    setListing(Listing.empty)
    setTotal(null)
    setRead(false)
    setStopped(false)
    hasSearched.current = false
    pending.current = new Set()
    const read = async (isFirst: boolean): Promise<void> => {
      // One reading at a time: what happens meanwhile is read after it.
      if (isReading) {
        isOutdated = true
        return
      }
      isReading = true
      const result = await Effect.runPromise(Effect.result(readPage(filters, null)))
      isReading = false
      if (!isCurrent) return
      setRead(true)
      setProblem(result._tag === "Failure" ? reasonOf(result.failure) : null)
      if (result._tag === "Success") {
        setTotal(result.success.total)
        const fresh = result.success
        const stands = !isAtTop.current || isStill() || hasSearched.current
        setListing((before) => (isFirst ? Listing.beginning(fresh) : Listing.joined(before, fresh, stands)))
      }
      if (!isOutdated) return
      isOutdated = false
      await read(false)
    }
    readAgain.current = () => void read(false)
    void read(true)
    return () => {
      isCurrent = false
    }
  }, [address])

  useChanges(() => readAgain.current())

  /** Reads a page, unless it is being read. What it was read for may have changed by then. */
  const fetchPage = async (
    cursor: string | null,
    join: (before: Listing.Listing, page: Listing.Fresh) => Listing.Listing
  ) => {
    const asked = pending.current
    const name = String(cursor)
    if (asked.has(name)) return
    asked.add(name)
    const result = await Effect.runPromise(Effect.result(readPage(filters, cursor)))
    asked.delete(name)
    if (asked !== pending.current) return
    if (result._tag === "Failure") return setProblem(reasonOf(result.failure))
    setListing((before) => join(before, result.success))
  }

  const extend = (cursor: string) =>
    fetchPage(cursor, (before, page) => (before.next === cursor ? Listing.extended(before, page) : before))

  const search = problem === null ? Listing.searchOf(listing, filters.text, total, isStopped) : null
  const isSearching = search?.state === "searching"
  useEffect(() => {
    if (!isSearching || listing.next === null) return
    hasSearched.current = true
    void extend(listing.next)
  }, [isSearching, listing.next])

  /** Has the rows in sight in memory, and the next page when the end is near. */
  const look = (from: number, until: number) => {
    const { next } = listing
    for (const place of Listing.missing(listing, from, until)) {
      const cursor = listing.pages[place]?.cursor ?? null
      void fetchPage(cursor, (before, { rows }) =>
        before.pages[place]?.cursor === cursor ? Listing.filled(before, place, rows) : before
      )
    }
    if (next !== null && until >= Listing.countOf(listing)) {
      void extend(next)
    }
    setListing((before) => Listing.trimmed(before, from, until))
  }

  const again = () => {
    hasSearched.current = false
    readAgain.current()
  }

  return {
    listing,
    setListing,
    problem,
    isRead,
    isAtTop,
    look,
    total: Listing.totalOf(listing, total),
    search,
    setStopped,
    again
  }
}
