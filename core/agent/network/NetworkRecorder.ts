/**
 * The network answers that the tabs of a session received and that are kept for the run to read.
 */
import { Effect, type Scope } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { type Exchange, isNoise, type StartedRequest } from "../../browser/Exchange.ts"
import * as Expect from "../../workflow/language/graph/Expect.ts"
import type { Graph } from "../../workflow/language/graph/Graph.ts"

/** How much is kept: the newest exchanges, and characters of their answers. */
const maxExchanges = 1_000
const maxCharacters = 20_000_000

/** An answer that is longer is not kept. */
export const largestBody = 5_000_000

/** A moment in a recording. */
export interface Mark {
  /** How many exchanges had been kept. */
  readonly kept: number
  /** The requests that had no answer yet. */
  readonly pending: ReadonlyArray<StartedRequest>
}

type Test = (exchange: { readonly url: string }) => boolean

/** The newest exchanges of a session. */
export class NetworkRecorder {
  #kept: Array<Exchange> = []
  #inProgress: Array<StartedRequest> = []
  #characters = 0
  #ever = 0
  readonly #waiting = new Set<() => void>()

  readonly begun = (request: StartedRequest): void => {
    if (isNoise({ resourceType: request.resourceType, url: "" })) return
    this.#inProgress = [...this.#inProgress.slice(1 - maxExchanges), request]
  }

  readonly add = (exchange: Exchange): void => {
    const at = this.#inProgress.findIndex(
      ({ startedAt, url }) => startedAt === exchange.startedAt && url === exchange.url
    )
    if (at >= 0) this.#inProgress = this.#inProgress.toSpliced(at, 1)
    if (exchange.status !== null && !isNoise({ resourceType: exchange.resourceType, url: "" })) this.#keep(exchange)
    for (const wake of [...this.#waiting]) wake()
  }

  #keep(exchange: Exchange): void {
    this.#kept.push(exchange)
    this.#ever++
    this.#characters += sizeOf(exchange)
    while (this.#kept.length > maxExchanges || this.#characters > maxCharacters) {
      const oldest = this.#kept.shift()
      if (oldest === undefined) break
      this.#characters -= sizeOf(oldest)
    }
  }

  /**
   * The newest exchange that one of the tests holds for; an earlier test goes before a later one. It `isLast` unless
   * a request that was made by `before`, epoch milliseconds, and is meant as closely, has no response yet.
   */
  readonly newest = (
    tests: ReadonlyArray<Test>,
    before: number
  ): { exchange: Exchange; isLast: boolean } | undefined => {
    let isLast = true
    for (const test of tests) {
      isLast &&= !this.#inProgress.some((request) => request.startedAt <= before && test(request))
      const exchange = this.#kept.findLast(test)
      if (exchange !== undefined) return { exchange, isLast }
    }
    return undefined
  }

  /** This moment. */
  readonly mark = (): Mark => ({ kept: this.#ever, pending: this.#inProgress })

  /** The answers to requests that were made after a moment, oldest first. */
  readonly since = ({ kept, pending }: Mark): ReadonlyArray<Exchange> => {
    const isOlder = ({ startedAt, url }: Exchange) =>
      pending.some((request) => request.startedAt === startedAt && request.url === url)
    const added = Math.min(this.#ever - kept, this.#kept.length)
    return this.#kept.slice(this.#kept.length - added).filter((exchange) => !isOlder(exchange))
  }

  /** Ends when the next request is answered, or fails. */
  readonly next: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const wake = () => {
      this.#waiting.delete(wake)
      resume(Effect.void)
    }
    this.#waiting.add(wake)
    return Effect.sync(() => void this.#waiting.delete(wake))
  })
}

const sizeOf = ({ body, requestBody, url }: Exchange): number =>
  (body?.length ?? 0) + (requestBody?.length ?? 0) + url.length

/** Whether a graph has a node that reads the network. */
export const isReadBy = (graph: Graph): boolean =>
  [...graph.nodes.values()].some(
    (node) =>
      node.action === "EXTRACT_NETWORK" || Expect.of(node)?.conditions.some(({ type }) => type === "request") === true
  )

/** Records what the network answers, from now until the scope closes. */
export const listen = (page: SessionParts<"observation">): Effect.Effect<NetworkRecorder, never, Scope.Scope> =>
  Effect.gen(function* () {
    const heard = new NetworkRecorder()
    yield* page.observation.watchNetwork(heard.add, { begun: heard.begun, largestBody })
    return heard
  })
