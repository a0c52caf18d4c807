/**
 * What the windows of a session were answered by the network, as far as it is kept to be read by the run.
 */
import { Effect, type Scope } from "effect"
import type { Graph } from "../workflow/Graph.ts"
import type { Page } from "./page/Browser.ts"
import { type Exchange, isNoise } from "./page/Exchange.ts"

/** How much is kept: the newest exchanges, and characters of their answers. */
const maxExchanges = 1_000
const maxCharacters = 20_000_000

/** An answer that is longer is not kept. */
export const largestBody = 5_000_000

/** The newest exchanges of a session. */
export class Heard {
  #kept: Array<Exchange> = []
  #characters = 0
  readonly #waiting = new Set<() => void>()

  readonly add = (exchange: Exchange): void => {
    if (exchange.status === null || isNoise({ resource_type: exchange.resourceType, url: "" })) return
    this.#kept.push(exchange)
    this.#characters += sizeOf(exchange)
    while (this.#kept.length > maxExchanges || this.#characters > maxCharacters) {
      const oldest = this.#kept.shift()
      if (oldest === undefined) break
      this.#characters -= sizeOf(oldest)
    }
    for (const wake of [...this.#waiting]) wake()
  }

  /** The newest exchange that one of the tests holds for; an earlier test goes before a later one. */
  readonly newest = (tests: ReadonlyArray<(exchange: Exchange) => boolean>): Exchange | undefined => {
    for (const test of tests) {
      const found = this.#kept.findLast(test)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Ends when the next exchange is there. */
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

/** Begins to listen where the graph has a node that reads the network; `null` where it has none. */
export const listen = (graph: Graph, page: Page): Effect.Effect<Heard | null, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isNeeded = [...graph.nodes.values()].some(({ action }) => action === "EXTRACT_NETWORK")
    if (!isNeeded) return null
    const heard = new Heard()
    yield* page.watchNetwork(heard.add, largestBody)
    return heard
  })
