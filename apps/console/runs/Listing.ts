/** Reads the list of runs, and reads it again after events. */
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { useChanges } from "../data/Live.ts"
import { client, reasonOf } from "../kit/Service.ts"
import * as Listing from "./ListingModel.ts"
import { type Filters, parametersOf } from "./RunsModel.ts"

/**
 * The most runs of a page. The first page is read again after events, and fills a screen. The pages of a search are larger,
 * so that a search needs fewer of them.
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
 * The runs that match filters, read again after events while the page is visible. `isStill` says whether rows must keep
 * their places, although the list shows its top.
 *
 * A page of a search by text covers the newest runs only. The search then continues with older runs until its end, until it
 * has found its limit, or until the reader stops it.
 */
export const useRuns = (filters: Filters, address: string, isStill: () => boolean) => {
  const [listing, setListing] = useState(Listing.empty)
  const [problem, setProblem] = useState<string | null>(null)
  const [isRead, setRead] = useState(false)
  const [total, setTotal] = useState<string | null>(null)
  const isAtTop = useRef(true)
  const [isStopped, setStopped] = useState(false)
  /**
   * Whether the list contains later pages of a search. Then the first page is read again only when the reader asks for
   * it.
   */
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
      // One reading at a time: events during a reading cause another one after it.
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

  /** Reads a page, unless it is being read. The filters may have changed when it arrives. */
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

  /** Loads the visible rows, and the next page when the end is near. */
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
