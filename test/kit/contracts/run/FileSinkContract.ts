/**
 * The promises of every implementation of `FileSink`, for each type of destination that it has.
 *
 * The destination is yours: a server of the type, empty before each promise.
 */
import { Context, Effect, Redacted, Stream } from "effect"
import { FileSink, type OpenDestination, type SentFile } from "../../../../core/run/delivery/FileSink.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** A destination at a private address. */
export class SinkServer extends Context.Service<
  SinkServer,
  {
    /** What the sink may reach, with the access that the server asks for. */
    readonly allowed: OpenDestination
    /** The same place by an address that the sink must not reach, and by a host name that leads there. */
    readonly forbidden: { readonly url: string; readonly urlByName: string }
    /** What the server holds, by path. */
    readonly holds: Effect.Effect<Readonly<Record<string, string>>>
    /** How many files it was sent, those included that it did not take. */
    readonly sent: Effect.Effect<number>
    /** Makes it fail, or serve again. */
    readonly away: (isAway: boolean) => Effect.Effect<void>
  }
>()("sluice/test/kit/contracts/run/SinkServer") {}

/** What the promises are about. */
export type Stores = FileSink | SinkServer

const file = Effect.fnUntraced(function* (path: string, text: string): Effect.fn.Return<SentFile, never, FileSink> {
  const bytes = new TextEncoder().encode(text)
  const read = () => Stream.succeed(bytes)
  return { path, size: bytes.length, sha256: yield* (yield* FileSink).sha256(read()), read, mediaType: "text/plain" }
})

const promise = <A, E>(
  title: string,
  test: (given: {
    readonly sink: FileSink["Service"]
    readonly server: SinkServer["Service"]
  }) => Effect.Effect<A, E, Stores>
) =>
  Contract.promise(
    `a destination of files ${title}`,
    Effect.flatMap(Effect.all({ sink: FileSink, server: SinkServer }), test)
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("gets a file at its path, byte by byte, below folders that did not exist", ({ server, sink }) =>
    Effect.gen(function* () {
      const sent = yield* file("Rechnungen für März/a b+c%&?#.txt", "one \u0000 \u{1f389}")
      assert.deepStrictEqual(yield* sink.put(server.allowed, sent), { _tag: "Stored", wasThere: false })
      assert.deepStrictEqual(yield* server.holds, { [sent.path]: "one \u0000 \u{1f389}" })
    })
  ),
  promise("is not sent again what it has", ({ server, sink }) =>
    Effect.gen(function* () {
      const sent = yield* file("a/b/one.txt", "one")
      assert.strictEqual(sent.sha256, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
      yield* sink.put(server.allowed, sent)
      assert.deepStrictEqual(yield* sink.put(server.allowed, sent), { _tag: "Stored", wasThere: true })
      assert.strictEqual(yield* server.sent, 1)
    })
  ),
  promise("keeps other content that has the name, longer or shorter", ({ server, sink }) =>
    Effect.gen(function* () {
      yield* sink.put(server.allowed, yield* file("one.txt", "one"))
      for (const text of ["two", "longer than it", ""]) {
        assert.deepStrictEqual(yield* sink.put(server.allowed, yield* file("one.txt", text)), { _tag: "Taken" })
      }
      assert.deepStrictEqual(yield* server.holds, { "one.txt": "one" })
    })
  ),
  promise("that refuses the access or fails says so without the access", ({ server, sink }) =>
    Effect.gen(function* () {
      const sent = yield* file("one.txt", "one")
      const access = Redacted.make({ username: "canary-user", password: "canary-password" })
      const refused = yield* sink.put({ ...server.allowed, access }, sent)
      yield* server.away(true)
      const away = yield* sink.put(server.allowed, sent)
      yield* server.away(false)
      for (const outcome of [refused, away]) {
        assert.strictEqual(outcome._tag, "Failed")
        assert.notMatch(JSON.stringify(outcome), /canary/)
      }
      assert.deepStrictEqual(yield* server.holds, {})
    })
  ),
  promise("is sent a large file while it is read, whose parts are in their order", ({ server, sink }) =>
    Effect.gen(function* () {
      const piece = (index: number) => String(index % 10).repeat(40_001)
      const read = () => Stream.map(Stream.range(0, 99), (index) => new TextEncoder().encode(piece(index)))
      const sent = {
        path: "large.txt",
        size: 4_000_100,
        sha256: yield* sink.sha256(read()),
        read,
        mediaType: "text/plain"
      }
      assert.deepStrictEqual(yield* sink.put(server.allowed, sent), { _tag: "Stored", wasThere: false })
      const expected = Array.from({ length: 100 }, (_, index) => piece(index)).join("")
      assert.isTrue((yield* server.holds)["large.txt"] === expected)
      assert.deepStrictEqual(yield* sink.put(server.allowed, sent), { _tag: "Stored", wasThere: true })
    })
  ),
  promise("that is sent a file which cannot be read to its end keeps no part of it, and says why", ({ server, sink }) =>
    Effect.gen(function* () {
      const sent = yield* file("one.txt", "one")
      const read = () => Stream.concat(sent.read(), Stream.fail(new Error("The disk is away")))
      const outcome = yield* sink.put(server.allowed, { ...sent, size: 1_000_000, read })
      assert.deepStrictEqual(outcome, { _tag: "Failed", reason: "The disk is away", retryAfterMillis: null })
      assert.deepStrictEqual(yield* server.holds, {})
    })
  ),
  promise("at a private address is refused, by its address and by its name", ({ server, sink }) =>
    Effect.gen(function* () {
      const { type } = server.allowed
      const { url, urlByName } = server.forbidden
      assert.notStrictEqual(sink.refusal(type, url), null)
      assert.isNull(sink.refusal(type, server.allowed.url))
      for (const address of [url, urlByName]) {
        const outcome = yield* sink.put({ ...server.allowed, url: address }, yield* file("one.txt", "one"))
        assert.strictEqual(outcome._tag, "Refused")
      }
      assert.deepStrictEqual(yield* server.holds, {})
    })
  )
]
