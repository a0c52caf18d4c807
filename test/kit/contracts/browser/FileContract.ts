/**
 * The promises of every implementation of `FileSource`, which fetches the files that runs upload from addresses that users
 * chose.
 *
 * The sites are yours: servers at private addresses, such as those of loopback, which answer as they are asked to.
 */
import { Clock, Context, Effect, Fiber, type Scope } from "effect"
import { type FileNotFetched, FileSource, fetchMillis } from "../../../../core/browser/file/FileSource.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** What a site answers to each request. */
export type Answering =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: Uint8Array
    }
  /** It sends a status of 200 and the beginning of an answer that has no end. */
  | "part"
  /** It sends a status of 200 and bytes without end, and does not say how many. */
  | "endless"
  /** It announces more bytes than it sends, and ends the connection. */
  | "cut"
  /** It never answers. */
  | "nothing"

/** A site, which is there until its scope closes. */
export interface Site {
  /** The origin, such as `http://127.0.0.1:4000`. Every path has the same answer. */
  readonly origin: string
  /** The paths with queries that were asked for, in their order. */
  readonly asked: Effect.Effect<ReadonlyArray<string>>
}

/** Sites for the source under test. */
export class Sites extends Context.Service<
  Sites,
  {
    /** A site that the source may reach. */
    readonly allowed: (answering: Answering) => Effect.Effect<Site, never, Scope.Scope>
    /** A site at a private address that the source may not reach, also by a host name that leads to it. */
    readonly forbidden: Effect.Effect<Site & { readonly byName: string }, never, Scope.Scope>
    /** How large a file may be for the source under test, in bytes: at most `maxUploadBytes`. */
    readonly maxBytes: number
    /** The content of a local file; `null` where there is none. */
    readonly read: (path: string) => Effect.Effect<Uint8Array | null>
  }
>()("sluice/test/kit/contracts/browser/FileContract") {}

interface Given {
  readonly source: FileSource
  readonly sites: Sites["Service"]
  readonly time: SteppingClock.SteppingClock
  /** Waits for something to end, by the clock of the machine. */
  readonly ends: typeof Contract.ends
}

const promise = <A, E>(title: string, test: (given: Given) => Effect.Effect<A, E, Scope.Scope>) =>
  Contract.promise(
    `a source of files ${title}`,
    Effect.gen(function* () {
      const time = SteppingClock.make(0)
      const machine = yield* Clock.Clock
      const ends: Given["ends"] = (what, effect) =>
        Effect.provideService(Contract.ends(what, effect), Clock.Clock, machine)
      const given = { source: yield* FileSource, sites: yield* Sites, time, ends }
      return yield* Effect.provideService(Effect.scoped(test(given)), Clock.Clock, time.clock)
    })
  )

/** Ends when a site is asked, or an attempt ended without that. */
const begun = (asked: Site["asked"], attempt: Fiber.Fiber<unknown, unknown>) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, asked), {
    until: (all) => all.length > 0 || attempt.pollUnsafe() !== undefined
  })

const bytes = (length: number, first = 0): Uint8Array => Uint8Array.from({ length }, (_, at) => (first + at) % 256)

const anywhere = () => null

/** Expects that no file is fetched, and that the reason says why and does not repeat the query, which may be a signature. */
const refused = (
  { source }: Given,
  url: string,
  kind: FileNotFetched["kind"],
  refusal: (url: URL) => string | null = anywhere
) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(source.get(new URL(url), refusal))
    assert.tagged(error, "FileNotFetched")
    assert.strictEqual(error.kind, kind, url)
    assert.isAbove(error.reason.length, 0)
    assert.notInclude(error.message, "canary")
    return error
  })

/** Addresses of this machine and of its networks, as they can be written. */
const local = [
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://127.1/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://localhost/",
  "http://anything.localhost/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "http://192.168.1.1:8080/",
  "https://10.0.0.8:8443/"
]

/** What may be written about a file, the address of the file, and its name. */
const names: ReadonlyArray<readonly [disposition: string | null, path: string, name: string]> = [
  ['attachment; filename="report 2026.pdf"', "/x?signature=canary", "report 2026.pdf"],
  ["attachment; filename=plain.csv", "/x", "plain.csv"],
  ["attachment; filename=\"e.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "/x", "€ rates.txt"],
  [null, "/files/scan%20one.pdf?signature=canary", "scan one.pdf"],
  ['attachment; filename="../../etc/passwd"', "/x", "passwd"],
  ['attachment; filename="..\\\\..\\\\boot.ini"', "/x", "boot.ini"],
  [null, "/files/..%2f..%2fpasswd", "passwd"]
]

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Sites>> = [
  promise("gives a file with the bytes of the answer, until its scope closes", ({ sites, source }) =>
    Effect.gen(function* () {
      for (const length of [0, 1, 200_000]) {
        const body = bytes(length)
        const { origin } = yield* sites.allowed({ status: 200, body })
        const path = yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* source.get(new URL("/scan.bin", origin), anywhere)
            const found = yield* sites.read(file.path)
            assert.deepStrictEqual(Array.from(found ?? []), Array.from(body))
            assert.isTrue(found !== null, "a file while its scope is open")
            return file.path
          })
        )
        assert.isNull(yield* sites.read(path), "no file once its scope is closed")
      }
    })
  ),
  promise("names a file as the server does, or else by its address, and safely", ({ sites, source }) =>
    Effect.gen(function* () {
      for (const [disposition, path, name] of names) {
        const headers: Record<string, string> = disposition === null ? {} : { "content-disposition": disposition }
        const { origin } = yield* sites.allowed({ status: 200, headers, body: bytes(3) })
        assert.strictEqual((yield* source.get(new URL(path, origin), anywhere)).fileName, name)
      }
      const { origin } = yield* sites.allowed({ status: 200, body: bytes(3) })
      assert.isAbove((yield* source.get(new URL("/", origin), anywhere)).fileName.length, 0)
    })
  ),
  promise("gives several files at once, each its own", ({ sites, source }) =>
    Effect.gen(function* () {
      const numbers = [1, 2, 3, 4, 5]
      const all = yield* Effect.forEach(numbers, (first) => sites.allowed({ status: 200, body: bytes(50_000, first) }))
      const files = yield* Effect.forEach(all, ({ origin }) => source.get(new URL("/same.bin", origin), anywhere), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(files.map(({ path }) => path)).size, numbers.length)
      const contents = yield* Effect.forEach(files, ({ path }) => sites.read(path))
      assert.deepStrictEqual(
        contents.map((content) => content?.[0]),
        numbers
      )
    })
  ),
  promise("says what was answered in place of a file, and does not repeat the address", (given) =>
    Effect.gen(function* () {
      for (const answering of [{ status: 404 }, { status: 403 }, { status: 500 }, { status: 204 }, "cut"] as const) {
        const { origin } = yield* given.sites.allowed(answering)
        yield* refused(given, `${origin}/scan.pdf?signature=canary`, "failed")
      }
      const gone = yield* Effect.scoped(given.sites.allowed({ status: 200 }))
      yield* refused(given, `${gone.origin}/scan.pdf?signature=canary`, "failed")
    })
  ),
  promise("gives up a file that is too large, whether its size is announced or not", (given) =>
    Effect.gen(function* () {
      const { maxBytes } = given.sites
      const announced = { status: 200, headers: { "content-length": `${maxBytes + 1}` } }
      for (const answering of [announced, "endless"] as const) {
        const { origin } = yield* given.sites.allowed(answering)
        yield* refused(given, `${origin}/scan.pdf?signature=canary`, "tooLarge")
      }
    })
  ),
  promise("waits a minute at most for the end of an answer", (given) =>
    Effect.gen(function* () {
      for (const answering of ["nothing", "part"] as const) {
        const { asked, origin } = yield* given.sites.allowed(answering)
        const getting = yield* Effect.forkDetach(refused(given, `${origin}/scan.pdf?signature=canary`, "failed"))
        yield* given.ends("the wait for a request", begun(asked, getting))
        yield* given.time.advance(fetchMillis)
        yield* given.ends(`an attempt of ${fetchMillis} ms`, Fiber.join(getting))
      }
    })
  ),
  promise("ends promptly when it is interrupted, and fetches the next file", ({ ends, sites, source }) =>
    Effect.gen(function* () {
      for (const answering of ["nothing", "part"] as const) {
        const { asked, origin } = yield* sites.allowed(answering)
        const getting = yield* Effect.forkDetach(Effect.scoped(source.get(new URL("/scan.pdf", origin), anywhere)))
        yield* ends("the wait for a request", begun(asked, getting))
        const ending = yield* Effect.forkDetach(Fiber.interrupt(getting))
        yield* ends("an attempt that was interrupted", Fiber.join(ending))
      }
      const { origin } = yield* sites.allowed({ status: 200, body: bytes(10) })
      yield* source.get(new URL("/scan.pdf", origin), anywhere)
    })
  ),
  promise("asks before each address, also one that it is led to, and requests none that is refused", (given) =>
    Effect.gen(function* () {
      const { sites, source } = given
      const target = yield* sites.allowed({ status: 200, body: bytes(3) })
      const hrefs: Array<string> = []
      const noting = (url: URL) => {
        hrefs.push(url.href)
        return null
      }
      const judge = (url: URL) => (url.origin === target.origin ? "this site is not among those of the workflow" : null)
      for (const status of [301, 302, 303, 307, 308]) {
        const leading = yield* sites.allowed({ status, headers: { location: `${target.origin}/scan.pdf` } })
        const error = yield* refused(given, `${leading.origin}/a?signature=canary`, "forbidden", judge)
        assert.include(error.message, "this site is not among those of the workflow")
        assert.lengthOf(yield* leading.asked, 1)
      }
      yield* refused(given, `${target.origin}/scan.pdf`, "forbidden", judge)
      assert.lengthOf(yield* target.asked, 0)
      const leading = yield* sites.allowed({ status: 302, headers: { location: `${target.origin}/scan.pdf` } })
      yield* source.get(new URL("/a", leading.origin), noting)
      assert.deepStrictEqual(hrefs, [`${leading.origin}/a`, `${target.origin}/scan.pdf`])
    })
  ),
  promise("follows no redirects without end", (given) =>
    Effect.gen(function* () {
      const { asked, origin } = yield* given.sites.allowed({ status: 302, headers: { location: "/again" } })
      yield* refused(given, `${origin}/again`, "failed")
      assert.isBelow((yield* asked).length, 50)
    })
  ),
  promise("refuses private, loopback and link-local addresses in each way of writing them", (given) =>
    Effect.gen(function* () {
      for (const url of local) yield* refused(given, url, "forbidden")
      const forbidden = yield* given.sites.forbidden
      const leading = yield* given.sites.allowed({ status: 302, headers: { location: `${forbidden.origin}/x` } })
      for (const origin of [forbidden.origin, forbidden.byName, leading.origin]) {
        yield* refused(given, `${origin}/scan.pdf?signature=canary`, "forbidden")
      }
      assert.lengthOf(yield* forbidden.asked, 0)
    })
  ),
  promise("takes nothing but files over HTTP", (given) =>
    Effect.forEach(["file:///etc/hostname", "ftp://example.com/x", "data:text/plain,canary"], (url) =>
      refused(given, url, "forbidden")
    )
  )
]
