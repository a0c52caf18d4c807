/**
 * The pages and answers of a site that are kept as evidence are searched for secrets in many turns, so that they do not hold
 * the event loop of a worker. How long a turn is at most is in `hiding.test.ts`.
 */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import type { Observer } from "../../../core/agent/Observer.ts"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import * as EvidenceRecorder from "../../../core/execution/EvidenceRecorder.ts"
import { Secrets } from "../../../core/redaction/Secrets.ts"
import type { ArtifactWriter } from "../../../core/run/artifact/RunArtifacts.ts"
import type { Reporter } from "../../../core/run/Executor.ts"
import { EvidenceStore } from "../../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { Node } from "../../../core/workflow/language/graph/Graph.ts"
import { counted } from "../../support/countedTurns.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { filled, hostile, known } from "../../support/hostileSecrets.ts"

/** The characters of a turn: at most so many, and the window of the last step. */
const inOneTurn = 16_384 + 8_192

const isInTurns = (turns: number, characters: number): boolean => turns >= Math.floor(characters / inOneTurn)

const node = { id: randomUUID(), name: "Step", action: "CLICK", parameters: {} } as unknown as Node

const services = Layer.mergeAll(
  Memory.layer,
  Encryption.layer(Redacted.make("00".repeat(32))).pipe(Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer)))
)

layer(services)("a run that keeps evidence", (it) => {
  const observing = Effect.fnUntraced(function* (kept: Array<Uint8Array>, secrets = new Secrets()) {
    const runs = yield* RunStore
    const sent = submission(yield* makeWorkflow(yield* makeWorkspace()), { options: { debug: true } })
    yield* runs.submit(sent)
    const claimed = (yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })).find(
      ({ run }) => run.id === sent.id
    )
    assert(claimed !== undefined)
    secrets.add(known, "secret")
    const write: ArtifactWriter["write"] = (_, { bytes }) => Effect.sync(() => `artifact ${kept.push(bytes)}`)
    const observer = { picture: () => Effect.void } as unknown as Observer<never>
    const writer = { write } as ArtifactWriter
    const reporter = { event: () => Effect.void } as unknown as Reporter
    const evidence = (yield* EvidenceRecorder.make)(claimed, secrets, writer, reporter, observer)
    return { evidence, runId: sent.id }
  })

  const characters = 200_000

  const keeping = Effect.fnUntraced(function* (piece: string, secrets?: Secrets) {
    const kept: Array<Uint8Array> = []
    const { evidence } = yield* observing(kept, secrets)
    const html = `${filled(piece, characters - 20)} hunter2#pass`
    const page = {
      observation: { snapshot: () => Effect.succeed(html), glimpse: () => Effect.die("no picture") }
    } as unknown as BrowserSession
    assert(evidence.seen !== undefined)
    const { turns } = yield* counted(evidence.seen(page, node, "failed"))
    assert.lengthOf(kept, 1)
    return { turns, end: new TextDecoder().decode(kept[0]?.slice(-100)) }
  })

  it.effect.each(Object.entries(hostile))("searches a large page of %s in many turns", ([, piece]) =>
    Effect.gen(function* () {
      const { end, turns } = yield* keeping(piece)
      assert.match(end, /\[secret\]$/)
      assert.isTrue(isInTurns(turns, characters), `${turns} turns`)
    })
  )

  it.effect("would be found if it searched a page in one turn", () =>
    Effect.gen(function* () {
      class AtOnce extends Secrets {
        override readonly hideLong = (text: string) => Effect.sync(() => text.replaceAll("hunter2#pass", "[secret]"))
      }
      const { end, turns } = yield* keeping("x ", new AtOnce())
      assert.match(end, /\[secret\]$/)
      assert.isFalse(isInTurns(turns, characters), `${turns} turns`)
    })
  )

  it.effect("searches the answers in its network log in many turns, whatever they are full of", () =>
    Effect.gen(function* () {
      const { evidence, runId } = yield* observing([])
      const pieces = Object.values(hostile)
      const exchangeOf = (piece: string): Exchange => ({
        method: "GET",
        url: `https://site.test/?${filled(piece, 100_000)}`,
        resourceType: "fetch",
        startedAt: 1,
        durationMillis: 1,
        status: 200,
        failure: null,
        requestHeaders: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, filled(piece, 10_000)])),
        responseHeaders: {},
        body: filled(piece, 100_000)
      })
      let tell: (exchange: Exchange) => void = () => assert.fail("Not listened to")
      const page = {
        observation: {
          watchNetwork: (given: typeof tell) => Effect.sync(() => (tell = given)),
          screencast: () => Effect.never
        }
      } as unknown as BrowserSession
      const recorded = Effect.scoped(
        Effect.gen(function* () {
          yield* evidence.opened?.(page) ?? Effect.void
          for (const piece of pieces) tell(exchangeOf(piece))
          // More than waits to be stored.
          tell({ ...exchangeOf("x"), body: "x".repeat(20_000_000) })
        })
      )
      const { turns } = yield* counted(recorded)
      const log = yield* (yield* EvidenceStore).network(runId)
      assert(log._tag === "Some")
      assert.lengthOf(log.value.events, pieces.length)
      assert.isTrue(log.value.truncated)
      const kept = JSON.stringify(log.value.events).length
      assert.isAbove(kept, 300_000)
      assert.isTrue(isInTurns(turns, kept), `${turns} turns for ${kept} characters`)
    })
  )
})
