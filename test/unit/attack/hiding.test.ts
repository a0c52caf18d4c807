/**
 * A page or a site that is made to be searched for secrets at length does not hold the event loop of a worker.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import type { Observer } from "../../../core/agent/Observer.ts"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import * as EvidenceRecorder from "../../../core/execution/EvidenceRecorder.ts"
import { maxAtOnce, Secrets } from "../../../core/redaction/Secrets.ts"
import type { ArtifactWriter } from "../../../core/run/artifact/RunArtifacts.ts"
import type { Reporter } from "../../../core/run/Executor.ts"
import { EvidenceStore } from "../../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { Node } from "../../../core/workflow/language/graph/Graph.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { leastMillis, processorMillis } from "../../support/processorTime.ts"
import * as Watchdog from "../../support/watchdog.ts"

/** The longest that a page may hold the event loop, in milliseconds of processor time. */
const longest = 100

const values = ["hunter2#pass", "@pass1!", "\\@#$x1", `${"=".repeat(32)}a`.repeat(15), "=".repeat(500)]

/** Texts that nearly are a secret at each place, with what secrets are known by among them. */
const hostile: ReadonlyArray<readonly [string, string, number]> = [
  // The largest snapshot, and less of what takes longer.
  ["near-matches", "hunter2#pas @pass1 ", 5_000_000],
  ["escapes", "\\u0040\\u0070&amp;%25", 500_000],
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
    const write: ArtifactWriter["write"] = (_, { bytes }) => Effect.sync(() => `artifact ${kept.push(bytes)}`)
    const observer = { picture: () => Effect.void } as unknown as Observer<never>
    const writer = { write } as ArtifactWriter
    const reporter = { event: () => Effect.void } as unknown as Reporter
    const evidence = (yield* EvidenceRecorder.make)(claimed, secrets, writer, reporter, observer)
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

/** The values of as many cookies as a browser state may have, each a secret, all much alike. */
const cookies: Readonly<Record<string, (index: number) => string>> = {
  "numbers in hexadecimal": (index) => `${index.toString(16)}${"0123456789abcdef".repeat(4)}`,
  "the same letters around a number": (index) => `session=abcdef${index.toString(36)}&${"x".repeat(100)}`,
  "many words": (index) => `${"ab+cd/".repeat(40)}${index}`,
  "signs around a number": (index) => `${"@#".repeat(200)}${index}%`
}

/** Texts of the length that is searched at once. */
const texts: Readonly<Record<string, string>> = {
  words: "hello world, session of an abcdef page ",
  digits: "1234 5678 ",
  signs: "@#",
  backslashes: "\\",
  "parts of cookies": `session=abcdef ${"x".repeat(100)}& ab+cd/ab+cd/ 0123456789abcdef`
}

describe("a text that is searched at once for 5,000 secrets", () => {
  it.each(Object.entries(cookies))("takes less than 20 ms of the processor: %s", (_name, cookie) => {
    let secrets = new Secrets()
    const adding = leastMillis(longest, () => {
      secrets = new Secrets()
      for (let index = 0; index < 5_000; index++) secrets.add(cookie(index), "secret")
    })
    assert.isBelow(adding, longest, "adding")
    Effect.runSync(secrets.prepared)
    for (const [name, piece] of Object.entries(texts)) {
      const text = piece.repeat(Math.ceil(maxAtOnce / piece.length)).slice(0, maxAtOnce)
      assert.isBelow(
        leastMillis(20, () => secrets.hide(text)),
        20,
        name
      )
      assert.isBelow(
        leastMillis(longest, () => secrets.hideInName(text.slice(0, 255))),
        longest,
        name
      )
    }
    const shown = secrets.hide(`an ${encodeURIComponent(cookie(4_321))} in it`)
    // Of a value that begins by repeating something, the repetitions may be left.
    assert.isTrue(shown.endsWith("[secret] in it"))
    assert.notInclude(shown, cookie(4_321).slice(-4))
  })
})

/** A number as signs of an alphabet, each number differently. */
const written = (signs: ReadonlyArray<string>, index: number): string => {
  let text = ""
  for (let rest = index + 1; rest > 0; rest = Math.floor(rest / signs.length)) text += signs[rest % signs.length]
  return text
}

const alphabet = (first: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(first + at))

const signs = [..."-_!$.~*'()@#^{}[]:;,?"]
const cyrillic = alphabet(0x430, 32)
const han = alphabet(0x4e00, 500)
const emoji = alphabet(0x1f600, 64)

/** Secrets without a Latin letter or a digit, or with little of them, and those that have much in common. */
const unlettered: Readonly<Record<string, (index: number) => string>> = {
  signs: (index) => `${written(signs, index)}-_!$..`,
  "signs around one letter": (index) => `${written(signs, index)}a${"!".repeat(20)}`,
  Cyrillic: (index) => `${written(cyrillic, index)}пароль`,
  Chinese: (index) => `${written(han, index)}密码密码`,
  emoji: (index) => `😀😀${written(emoji, index)}😀`,
  "a mix": (index) => `${written([...signs, ...cyrillic, ...han, ...emoji], index)}\\%&+ ${index % 7}`,
  "a long common beginning": (index) => `${"-_!$.".repeat(80)}${written(signs, index)}`,
  "spaces only": (index) => written([" ", "\t", "\u00a0", "\u2003"], 4 ** 6 + index)
}

const unletteredTexts = [
  ...Object.values(texts),
  "-_!$.. ",
  "a!!!! ",
  "привет, пароль ",
  "你好密码",
  "😀😀😃",
  "%20%40&#33;\\u0040 "
]

describe("a text that is searched at once for 20,000 secrets without letters", () => {
  it.each(Object.entries(unlettered))("takes little time and memory: %s", (_name, secretOf) => {
    const secrets = new Secrets()
    const before = process.memoryUsage().heapUsed
    const watched = Watchdog.start()
    const used = processorMillis(() => {
      for (let index = 0; index < 20_000; index++) secrets.add(secretOf(index), "secret")
      Effect.runSync(secrets.prepared)
    })
    watched.stop()
    assert.isBelow(used, 3_000, "preparing")
    for (const piece of unletteredTexts) {
      const text = piece.repeat(Math.ceil(maxAtOnce / piece.length)).slice(0, maxAtOnce)
      assert.isBelow(
        leastMillis(longest / 2, () => secrets.hide(text)),
        longest / 2,
        piece
      )
    }
    // Garbage is a part of it, so the bound is generous: a pattern for each secret takes several times as much.
    assert.isBelow((process.memoryUsage().heapUsed - before) / 2 ** 20, 200, "MiB")
    for (const index of [0, 1, 4_321, 19_999]) {
      const secret = secretOf(index)
      for (const spelt of [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret),
        btoa(unescape(encodeURIComponent(secret)))
      ]) {
        assert.notInclude(secrets.hide(`<${spelt}>`), spelt)
      }
    }
  })

  it("is searched for secrets of every spelling that share all they begin with, in linear time", () => {
    const secrets = new Secrets()
    const whole = Array.from({ length: 3_000 }, (_, at) => han[(at * at + (at >> 5)) % han.length]).join("")
    for (let at = 0; at < 2_000; at++) secrets.add(whole.slice(at, at + 500), "secret")
    Effect.runSync(secrets.prepared)
    for (const text of [
      whole,
      Buffer.from(whole).toString("base64"),
      Buffer.from(whole).toString("hex"),
      encodeURIComponent(whole)
    ]) {
      assert.isBelow(
        leastMillis(3 * longest, () => secrets.hide(text)),
        3 * longest
      )
      assert.match(secrets.hide(text), /^.{0,4}(\[secret\]).{0,4}/)
    }
  })

  it("is searched in linear time where it can be read in thousands of ways, and then not shown", () => {
    const secrets = new Secrets()
    const readings = Array.from({ length: 4_096 }, (_, at) =>
      Array.from({ length: 12 }, (_, bit) => (((at >> bit) & 1) === 0 ? "%" : "%25")).join("")
    )
    for (const one of readings) secrets.add(one, "secret")
    Effect.runSync(secrets.prepared)
    const text = "%25".repeat(maxAtOnce / 3)
    assert.isBelow(
      leastMillis(3 * longest, () => secrets.hide(text)),
      3 * longest
    )
    assert.notInclude(secrets.hide(text), "%25%25")
  })

  it("takes no longer where it is in turns, nor in names of files and what is typed", () => {
    const secrets = new Secrets()
    for (let index = 0; index < 5_000; index++)
      secrets.addOf("BANK", `${written(han, index)}-${written(signs, index)}-密码`, "secret")
    Effect.runSync(secrets.prepared)
    const text = "密码-密码-!@#".repeat(1_000)
    assert.isBelow(
      processorMillis(() => Effect.runSync(secrets.hideLong(text.repeat(10)))),
      2_000
    )
    assert.isBelow(
      processorMillis(() => secrets.hideInName(text.slice(0, 255))),
      longest
    )
    assert.isBelow(
      processorMillis(() => Effect.runSync(secrets.ownersIn(text, []))),
      2_000
    )
  })
})
