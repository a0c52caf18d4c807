import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import * as ArtifactFolder from "../../adapters/files/ArtifactFolder.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as S3Artifacts from "../../adapters/s3/S3Artifacts.ts"
import { ArtifactFiles, type Range, type StoredArtifact } from "../../core/run/artifact/ArtifactFiles.ts"
import * as ArtifactContract from "../kit/contracts/run/ArtifactContract.ts"
import { listening } from "../support/listening.ts"
import * as s3 from "../support/s3.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-artifacts-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const folder = Layer.unwrap(Effect.map(temporary, ArtifactFolder.layer))

const objects = Layer.unwrap(Effect.map(s3.serve, ({ options }) => S3Artifacts.layer(options)))

const jpeg = { mediaType: "image/jpeg", fileName: null }
const readAll = (kept: StoredArtifact, range?: Range) => Stream.mkUint8Array(kept.read(range))
const found = (id: string) => Effect.flatMap(ArtifactFiles, (files) => Effect.map(files.find(id), Option.getOrThrow))

const suite = <E>(name: string, layer: Layer.Layer<ArtifactFiles, E>) =>
  // With the clock of the machine, which files are dated by.
  it.layer(layer, { excludeTestServices: true })(`artifacts (${name})`, (it) => {
    for (const { keeps, title } of ArtifactContract.promises) it.effect(title, () => keeps)
  })

suite("memory", MemoryArtifacts.layer)
suite("folder", folder)
suite("S3", objects)

describe("a folder of artifacts", () => {
  it.effect("sweeps what uploads have left, and keeps what is complete or still being written", () =>
    Effect.gen(function* () {
      const place = yield* temporary
      const [whole, part, young] = [randomUUID(), randomUUID(), randomUUID()]
      yield* Effect.gen(function* () {
        const files = yield* ArtifactFiles
        yield* files.put(whole, { ...jpeg, bytes: new Uint8Array([1]) })
        writeFileSync(`${place}/${part}.abc.part`, "half")
        writeFileSync(`${place}/${young}.abc.part`, "half")
        utimesSync(`${place}/${part}.abc.part`, 1, 1)
        yield* files.sweep(1_000_000)
        assert.deepStrictEqual(readdirSync(place).sort(), [whole, `${young}.abc.part`].sort())
        yield* files.put(young, { ...jpeg, bytes: new Uint8Array([1]) })
        assert.strictEqual(statSync(`${place}/${young}`).mode & 0o077, 0)
        yield* files.remove([whole])
        assert.isTrue(Option.isNone(yield* files.find(whole)))
      }).pipe(Effect.provide(ArtifactFolder.layer(place)))
    })
  )
})

describe("a file of a folder", () => {
  it.effect("is on the disk before it counts as kept, and so is its name", () =>
    Effect.gen(function* () {
      const place = join(yield* temporary, "new", "folder")
      const id = randomUUID()
      const written: Array<readonly [what: string, names: ReadonlyArray<string>]> = []
      const handle = yield* Effect.promise(() => open(tmpdir(), "r"))
      const prototype: FileHandle = Object.getPrototypeOf(handle)
      yield* Effect.promise(() => handle.close())
      const { sync } = prototype
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          prototype.sync = async function (this: FileHandle) {
            written.push([(await this.stat()).isDirectory() ? "folder" : "file", readdirSync(place)])
            return sync.call(this)
          }
        }),
        () =>
          Effect.sync(() => {
            prototype.sync = sync
          })
      )
      yield* Effect.flatMap(ArtifactFiles, (files) => files.put(id, { ...jpeg, bytes: new Uint8Array([1]) })).pipe(
        Effect.provide(ArtifactFolder.layer(place))
      )
      assert.deepStrictEqual(
        written.map(([what]) => what),
        ["file", "folder"]
      )
      const [before = [], after] = written.map(([, names]) => names)
      assert.notInclude(before, id)
      assert.deepStrictEqual(after, [id])
    })
  )
})

describe("an S3-compatible store", () => {
  const id = randomUUID()
  const put = Effect.flatMap(ArtifactFiles, (files) => files.put(id, { ...jpeg, bytes: new Uint8Array([1]) }))

  it.live("has the artifacts below its prefix and nothing of what uploads have left", () =>
    Effect.gen(function* () {
      const { directory, options } = yield* s3.serve
      yield* Effect.provide(
        Effect.gen(function* () {
          const files = yield* ArtifactFiles
          yield* put
          const broken = Stream.concat(Stream.make(new Uint8Array(9_000_000)), Stream.fail("broken off"))
          yield* Effect.flip(files.putStream(randomUUID(), jpeg, broken))
        }),
        S3Artifacts.layer(options)
      )
      const names = readdirSync(`${directory}/artifacts`, { recursive: true, encoding: "utf8" })
      assert.isTrue(names.some((name) => name.startsWith(`sluice/${id}`)))
      assert.isFalse(
        names.some((name) => /_uploads.*part/.test(name)),
        names.join()
      )
    })
  )

  it.live("is asked again while it fails, and not when it refuses", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const statuses = [500, 503, 200, 403, 200]
      const port = yield* listening(
        createServer((request, response) => {
          asked.push(request.method ?? "")
          request.resume()
          request.on("end", () => response.writeHead(statuses.shift() ?? 200).end("<Code>AccessDenied</Code>"))
        })
      )
      const { options } = yield* s3.serve
      const layer = S3Artifacts.layer({ ...options, endpoint: `http://127.0.0.1:${port}` })
      yield* Effect.provide(put, layer)
      assert.strictEqual(asked.length, 3)
      const refused = yield* Effect.flip(Effect.provide(put, layer))
      assert.strictEqual(asked.length, 4)
      assert.strictEqual(refused.message, "Cannot keep artifacts: the S3 store answered with 403 (AccessDenied)")
    })
  )

  it.live("that does not know ranges, or sends more than was asked for, is read in part all the same", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array(randomBytes(300_000))
      /** The first byte that is sent whatever is asked for, and the status that says so. */
      let answering: readonly [first: number, status: number] = [0, 200]
      const port = yield* listening(
        createServer((request, response) => {
          const [first, status] = request.method === "HEAD" ? ([0, 200] as const) : answering
          const range = `bytes ${first}-${bytes.length - 1}/${bytes.length}`
          response.writeHead(status, {
            "content-length": bytes.length - first,
            "content-type": "image/jpeg",
            ...(status === 206 ? { "content-range": range } : {})
          })
          if (request.method === "HEAD") return response.end()
          // In pieces that end where no range does.
          for (let at = first; at < bytes.length; at += 7_001) response.write(bytes.slice(at, at + 7_001))
          return response.end()
        })
      )
      const { options } = yield* s3.serve
      yield* Effect.gen(function* () {
        const kept = yield* found(id)
        assert.strictEqual(kept.size, bytes.length)
        for (const [start, end] of [
          [0, 0],
          [7_000, 7_001],
          [5, 280_000],
          [14_002, 299_999],
          [0, 299_999]
        ] as const) {
          answering = [0, 200]
          assert.isTrue(
            Buffer.from(yield* readAll(kept, { start, end })).equals(bytes.slice(start, end + 1)),
            `${start}`
          )
          answering = [Math.max(0, start - 3), 206]
          assert.isTrue(
            Buffer.from(yield* readAll(kept, { start, end })).equals(bytes.slice(start, end + 1)),
            `${start}`
          )
        }
        answering = [8, 206]
        const failure = yield* Effect.flip(readAll(kept, { start: 7, end: 9 }))
        assert.strictEqual(
          failure.message,
          "Cannot read artifacts: the S3 store answered with another range than the requested one"
        )
      }).pipe(Effect.provide(S3Artifacts.layer({ ...options, endpoint: `http://127.0.0.1:${port}` })))
    })
  )

  it.live("is swept of uploads below the prefix that began long ago", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const upload = (key: string, id: string, day: number) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-01-0${day}T00:00:00.000Z</Initiated></Upload>`
      const listed = [upload("sluice/a", "old&amp;1", 1), upload("sluice/b", "new", 3), upload("other/c", "old2", 1)]
      const port = yield* listening(
        createServer((request, response) => {
          asked.push(`${request.method} ${request.url}`)
          response.writeHead(200).end(`<ListMultipartUploadsResult>${listed.join("")}</ListMultipartUploadsResult>`)
        })
      )
      const { options } = yield* s3.serve
      yield* Effect.flatMap(ArtifactFiles, (files) => files.sweep(Date.parse("2026-01-02"))).pipe(
        Effect.provide(S3Artifacts.layer({ ...options, endpoint: `http://127.0.0.1:${port}` }))
      )
      assert.deepStrictEqual(asked, [
        "GET /artifacts?uploads=&prefix=sluice%2F",
        "DELETE /artifacts/sluice/a?uploadId=old%261"
      ])
    })
  )

  it.live("that is away, hangs or has another key is reported without the key", () =>
    Effect.gen(function* () {
      const { options } = yield* s3.serve
      const hanging = yield* listening(createServer(() => {}))
      const secret = "not-the-key"
      const cases = [
        { ...options, endpoint: "http://127.0.0.1:1" },
        { ...options, endpoint: `http://127.0.0.1:${hanging}`, timeoutMillis: 100 },
        { ...options, accessKey: "another", secretKey: Redacted.make(secret) },
        { ...options, bucket: "another" }
      ]
      for (const one of cases) {
        const failure = yield* Effect.flip(Effect.provide(put, S3Artifacts.layer(one)))
        assert.strictEqual(failure._tag, "ArtifactsUnavailable")
        assert.notInclude(JSON.stringify(failure), secret)
        assert.match(failure.message, /could not be reached: \S+|answered with 40\d/)
      }
    })
  )
})
