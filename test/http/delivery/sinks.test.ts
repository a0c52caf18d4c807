import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { join, relative } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope, Stream } from "effect"
import * as HttpSink from "../../../adapters/http/HttpSink.ts"
import type { Access, DestinationType } from "../../../core/run/delivery/FileDestination.ts"
import { FileSink } from "../../../core/run/delivery/FileSink.ts"
import * as FileSinkContract from "../../kit/contracts/run/FileSinkContract.ts"
import * as DavServer from "../../support/davServer.ts"
import { fileServer, token } from "../../support/fileServer.ts"
import { listening } from "../../support/listening.ts"
import * as S3 from "../../support/s3.ts"
import * as SshServer from "../../support/sshServer.ts"

/** A destination below this path of a server on loopback, and addresses of it that the sink must not reach. */
const destination = (type: DestinationType, access: Access, port: number, path: string) => ({
  allowed: { type, url: `http://127.0.0.1:${port}${path}`, access: Redacted.make(access) },
  forbidden: { url: `http://127.0.0.2:${port}${path}`, urlByName: `http://localhost:${port}${path}` }
})

const serverOf = (type: "http" | "webdav") =>
  Layer.effect(
    FileSinkContract.SinkServer,
    Effect.map(fileServer(type === "webdav"), ({ files, port, state }) => ({
      ...destination(type, { token }, port, "/files/"),
      holds: Effect.sync(() => Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString("utf8")]))),
      sent: Effect.sync(() => state.sent),
      away: (isAway: boolean) =>
        Effect.sync(() => {
          state.isAway = isAway
        })
    }))
  )

/** Passes requests on to a server on this port, counts the files that are put, and can be away. */
const front = (behind: number) =>
  Effect.gen(function* () {
    const state = { isAway: false, sent: 0 }
    const server = createServer((incoming, answer) => {
      if (state.isAway) return void answer.writeHead(503).end()
      const { headers, method, url } = incoming
      const passed = request({ host: "127.0.0.1", port: behind, method, path: url, headers }, (answered) => {
        if (method === "PUT" && answered.statusCode !== 409) state.sent += 1
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(answer)
      })
      passed.on("error", () => answer.destroy())
      incoming.pipe(passed)
    })
    return { port: yield* listening(server), state }
  })

/** What stands in a folder, by path; `nameOf` gives the name of a file, or `null` for one that is not counted. */
const textsIn = (folder: string, nameOf: (path: string) => string | null) =>
  Object.fromEntries(
    (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []).flatMap((entry) => {
      const file = join(entry.parentPath, entry.name)
      const name = nameOf(relative(folder, file))
      return entry.isFile() && name !== null ? [[name, readFileSync(file, "utf8")]] : []
    })
  )

/** A real server behind a front. */
const realServer = (
  served: Effect.Effect<
    {
      readonly type: DestinationType
      readonly access: Access
      readonly port: number
      readonly path: string
      readonly holds: () => Readonly<Record<string, string>>
    },
    never,
    Scope.Scope
  >
) =>
  Layer.effect(
    FileSinkContract.SinkServer,
    Effect.gen(function* () {
      const { access, holds, path, port: behind, type } = yield* served
      const { port, state } = yield* front(behind)
      return {
        ...destination(type, access, port, path),
        holds: Effect.sync(holds),
        sent: Effect.sync(() => state.sent),
        away: (isAway: boolean) =>
          Effect.sync(() => {
            state.isAway = isAway
          })
      }
    })
  )

const apache = realServer(
  Effect.map(DavServer.serve, ({ files, port }) => ({
    type: "webdav",
    access: DavServer.access,
    port,
    path: "/",
    holds: () => textsIn(files, (path) => path)
  }))
)

const s3 = realServer(
  Effect.map(S3.serve, ({ directory, options }) => ({
    type: "s3",
    access: { username: options.accessKey, password: Redacted.value(options.secretKey), region: options.region },
    port: Number(new URL(options.endpoint).port),
    path: `/${options.bucket}/in`,
    holds: () =>
      textsIn(join(directory, options.bucket, "in"), (path) => /^(.*)\._S3rver_object$/.exec(path)?.[1] ?? null)
  }))
)

const openSsh = Layer.effect(
  FileSinkContract.SinkServer,
  Effect.map(SshServer.serve, ({ access, away, files, hostKey, port, sent }) => {
    const urlOf = (host: string) => `sftp://${host}:${port}${files}/`
    return {
      allowed: { type: "sftp" as const, url: urlOf("127.0.0.1"), hostKey, access: Redacted.make(access) },
      forbidden: { url: urlOf("127.0.0.2"), urlByName: urlOf("LOCALHOST") },
      holds: Effect.sync(() => textsIn(files, (path) => path)),
      sent: Effect.sync(sent),
      away: (isAway: boolean) => Effect.sync(() => away(isAway))
    }
  })
)

const suite = (name: string, server: Layer.Layer<FileSinkContract.SinkServer>, missing: string | null = null) => {
  for (const { keeps, title } of FileSinkContract.promises) {
    it.live(`${title} (${name})`, ({ skip }) =>
      Effect.gen(function* () {
        if (missing !== null) skip(missing)
        const test = Effect.gen(function* () {
          const { allowed } = yield* FileSinkContract.SinkServer
          const origin = `http://${new URL(allowed.url).host}`
          yield* Effect.provide(keeps, HttpSink.layer({ ...HttpSink.defaults, allowedOrigins: [origin] }))
        })
        yield* Effect.provide(test, server)
      })
    )
  }
}

suite("http", serverOf("http"))
suite("webdav", serverOf("webdav"))
suite("webdav, Apache", apache, DavServer.isMissing ? DavServer.missing : null)
suite("s3", s3)
suite("sftp, OpenSSH", openSsh, SshServer.missing)

it.effect("an access that no request can have is refused without it", () =>
  Effect.gen(function* () {
    const sink = yield* FileSink
    const bytes = new TextEncoder().encode("one")
    const read = () => Stream.succeed(bytes)
    const sha256 = yield* sink.sha256(read())
    const file = { path: "one.txt", size: bytes.length, sha256, read, mediaType: "text/plain" }
    const refused: ReadonlyArray<readonly [DestinationType, Access, reason: RegExp]> = [
      ["http", { token: "canary\r\nX: y" }, /The token .* visible ASCII/],
      ["webdav", { token: "canary \u{1f389}" }, /The token .* visible ASCII/],
      ["s3", { token: "canary" }, /Expected the access key as username/],
      ["sftp", { token: "canary" }, /Expected a username with either a password or a private_key/],
      ["http", { username: "canary", privateKey: "canary" }, /Expected no private_key for the type http/],
      ["s3", { username: "canary\n", password: "canary" }, /The username or region .* visible ASCII/]
    ]
    for (const [type, access, reason] of refused) {
      const url = `${type === "sftp" ? "sftp" : "https"}://files.example.com/`
      const outcome = yield* sink.put({ type, url, access: Redacted.make(access) }, file)
      assert.strictEqual(outcome._tag, "Refused")
      assert.match(JSON.stringify(outcome), reason)
      assert.notMatch(JSON.stringify(outcome), /canary/)
    }
  }).pipe(Effect.provide(HttpSink.layer(HttpSink.defaults)))
)

it.live("a file is read no faster than its server takes it", () =>
  Effect.gen(function* () {
    const [pieces, pieceBytes] = [1_024, 65_536]
    let ahead = 0
    let most = 0
    const server = createServer((incoming, answer) => {
      if (incoming.method === "GET") return void answer.writeHead(404).end()
      incoming.on("data", (chunk: Buffer) => {
        ahead -= chunk.length
      })
      incoming.on("end", () => answer.writeHead(201).end())
    })
    const port = yield* listening(server)
    const read = () =>
      Stream.map(Stream.rechunk(Stream.range(1, pieces), 1), () => {
        ahead += pieceBytes
        most = Math.max(most, ahead)
        return new Uint8Array(pieceBytes)
      })
    const outcome = yield* Effect.flatMap(FileSink, (sink) =>
      sink.put(
        { type: "http", url: `http://127.0.0.1:${port}/`, access: Redacted.make({}) },
        { path: "a", size: pieces * pieceBytes, sha256: "0".repeat(64), read, mediaType: "text/plain" }
      )
    ).pipe(Effect.provide(HttpSink.layer({ ...HttpSink.defaults, allowedOrigins: [`http://127.0.0.1:${port}`] })))
    assert.deepStrictEqual(outcome, { _tag: "Stored", wasThere: false })
    assert.strictEqual(ahead, 0)
    // The system holds some megabytes of a connection.
    assert.isBelow(most, 16_777_216)
  }).pipe(Effect.scoped)
)
