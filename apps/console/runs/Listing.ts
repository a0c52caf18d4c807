/** Reads the list of runs, and reads it again when something happens. */
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { useChanges } from "../data/Live.ts"
import { client, reasonOf } from "../kit/Service.ts"
import { extended, type Filters, joined, type Listing, parametersOf } from "./RunsModel.ts"

const pageSize = 200

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

/** The runs that match filters, read again every few seconds while the page is in sight. */
export const useRuns = (filters: Filters, address: string) => {
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
    setTotal(null)
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
    return () => {
      isCurrent = false
    }
  }, [address])

  useChanges(() => readAgain.current())

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
