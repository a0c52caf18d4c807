/**
 * A page or a site that is made to be searched for secrets at length does not hold the event loop of a worker.
 */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Observer } from "../../core/agent/Observer.ts"
import type { BrowserSession } from "../../core/browser/Browser.ts"
import type { Exchange } from "../../core/browser/Exchange.ts"
import * as EvidenceRecorder from "../../core/execution/EvidenceRecorder.ts"
import { Secrets } from "../../core/redaction/Secrets.ts"
import type { Keeper } from "../../core/run/artifact/RunArtifacts.ts"
import type { Reporter } from "../../core/run/Executor.ts"
import { EvidenceStore } from "../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import type { Node } from "../../core/workflow/language/graph/Graph.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import * as Watchdog from "../support/watchdog.ts"

/** The longest that a page may hold the event loop, in milliseconds of processor time. */
const longest = 100

const values = ["hunter2#pass", "@pass1!", "\\@#$x1", `${"=".repeat(32)}a`.repeat(15), "=".repeat(500)]

/** Texts that nearly are a secret at each place, with what secrets are known by among them. */
const hostile: ReadonlyArray<readonly [string, string, number]> = [
  // The largest snapshot, and less of what takes as long.
  ["near-matches", "hunter2#pas @pass1 ", 5_000_000],
  ["escapes", "\\u0040\\u0070&amp;%25", 5_000_000],
  ["backslashes", "\\", 500_000],
  ["repeated signs", "=", 500_000],
  ["repeated words", `${"=".repeat(32)}a`, 500_000]
]

const filled = (piece: string, characters: number): string => {
  const known = "hunter2pass pass1 x1 a ="
  return `${piece.repeat(Math.ceil(4_000 / piece.length))}${known}`
    .repeat(Math.ceil(characters / 4_000))
    .slice(0, characters)
}

const node = { id: randomUUID(), name: "Step", action: "CLICK", parameters: {} } as unknown as Node

const services = Layer.mergeAll(
  Memory.layer,
  Encryption.layer(Redacted.make("00".repeat(32))).pipe(Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer)))
)

layer(services, { timeout: "2 minutes" })("a run that keeps evidence", (it) => {
  const observing = Effect.fnUntraced(function* (kept: Array<Uint8Array>) {
    const runs = yield* RunStore
    const sent = submission(yield* makeWorkflow(yield* makeWorkspace()), { options: { debug: true } })
    yield* runs.submit(sent)
    const claimed = (yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })).find(
      ({ run }) => run.id === sent.id
    )
    assert(claimed !== undefined)
    const secrets = new Secrets()
    secrets.add(values, "secret")
    const keep: Keeper["keep"] = (_, { bytes }) => Effect.sync(() => `artifact ${kept.push(bytes)}`)
    const observer = { picture: () => Effect.void } as unknown as Observer<never>
    const keeper = { keep } as Keeper
    const reporter = { event: () => Effect.void } as unknown as Reporter
    const evidence = (yield* EvidenceRecorder.make)(claimed, secrets, keeper, reporter, observer)
    return { evidence, runId: sent.id }
  })

  const watched = Effect.fnUntraced(function* <A>(what: string, effect: Effect.Effect<A>) {
    const watchdog = Watchdog.start()
    const value = yield* effect
    assert.isBelow(watchdog.stop().processorMillis, longest, what)
    return value
  })

  it.effect.each(hostile)("is not held by a large page of %s", ([what, piece, characters]) =>
    Effect.gen(function* () {
      const kept: Array<Uint8Array> = []
      const { evidence } = yield* observing(kept)
      const html = `${filled(piece, characters - 20)} hunter2#pass`
      const page = {
        observation: { snapshot: () => Effect.succeed(html), glimpse: Effect.die("no picture") }
      } as unknown as BrowserSession
      assert(evidence.seen !== undefined)
      yield* watched(what, evidence.seen(page, node, "failed"))
      assert.lengthOf(kept, 1)
      assert.match(new TextDecoder().decode(kept[0]?.slice(-100)), /\[secret\]$/)
    })
  )

  it.effect.each(hostile)("is not held by many answers of %s in its network log", ([what, piece]) =>
    Effect.gen(function* () {
      const { evidence, runId } = yield* observing([])
      const body = filled(piece, 1_048_576)
      const exchange: Exchange = {
        method: "GET",
        url: `https://site.test/?${filled(piece, 2_000_000)}`,
        resourceType: "fetch",
        startedAt: 1,
        durationMillis: 1,
        status: 200,
        failure: null,
        requestHeaders: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, filled(piece, 10_000)])),
        responseHeaders: {},
        body
      }
      let tell: (exchange: Exchange) => void = () => assert.fail("Not listened to")
      const page = {
        observation: {
          watchNetwork: (given: typeof tell) => Effect.sync(() => (tell = given)),
          screencast: () => Effect.never
        }
      } as unknown as BrowserSession
      const opened = Effect.scoped(
        Effect.gen(function* () {
          yield* evidence.opened?.(page) ?? Effect.void
          for (let count = 0; count < 25; count++) tell(exchange)
        })
      )
      yield* watched(what, opened)
      const log = yield* (yield* EvidenceStore).network(runId)
      assert(log._tag === "Some")
      assert.isAtLeast(log.value.events.length, 15)
      assert.isTrue(log.value.truncated)
    })
  )
})
