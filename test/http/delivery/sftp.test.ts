import { createHash, randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import ssh2 from "ssh2"
import * as HttpSink from "../../../adapters/http/HttpSink.ts"
import { FileSink, type OpenDestination, type SentFile } from "../../../core/run/delivery/FileSink.ts"
import { listening } from "../../support/listening.ts"
import * as SshServer from "../../support/sshServer.ts"

const sinkFor = (port: number) => HttpSink.layer({ ...HttpSink.defaults, allowedOrigins: [`http://127.0.0.1:${port}`] })

const file = Effect.fnUntraced(function* (path: string, text: string) {
  const bytes = new TextEncoder().encode(text)
  const read = () => Stream.succeed(bytes)
  return {
    path,
    size: bytes.length,
    sha256: yield* (yield* FileSink).sha256(read()),
    read,
    mediaType: "text/plain"
  } satisfies SentFile
})

const onRealServer = (
  title: string,
  test: (
    server: Effect.Success<typeof SshServer.serve>,
    destination: OpenDestination & { readonly hostKey: string }
  ) => Effect.Effect<void, never, FileSink>
) =>
  it.live(title, ({ skip }) =>
    Effect.gen(function* () {
      if (SshServer.missing !== null) skip(SshServer.missing)
      const server = yield* SshServer.serve
      const { access, hostKey, port } = server
      const url = `sftp://127.0.0.1:${port}/~/`
      yield* test(server, { type: "sftp", url, hostKey, access: Redacted.make(access) }).pipe(
        Effect.provide(sinkFor(port))
      )
    }).pipe(Effect.scoped)
  )

onRealServer(
  "a destination that shows another host key is refused with the key that it showed",
  (server, destination) =>
    Effect.gen(function* () {
      const sink = yield* FileSink
      const expected = `SHA256:${"A".repeat(43)}`
      assert.deepStrictEqual(yield* sink.put({ ...destination, hostKey: expected }, yield* file("one.txt", "one")), {
        _tag: "Refused",
        reason: `The destination showed the host key ${destination.hostKey} (ssh-ed25519), expected ${expected}`
      })
      assert.deepStrictEqual(readdirSync(server.files), [])
    })
)

onRealServer("of two files that come at once under one name, one is whole and the other taken", (server, destination) =>
  Effect.gen(function* () {
    const sink = yield* FileSink
    const texts = ["1", "2", "3"].map((digit) => digit.repeat(600_000))
    const outcomes = yield* Effect.forEach(
      texts,
      (text) => Effect.flatMap(file("a/b.txt", text), (one) => sink.put(destination, one)),
      {
        concurrency: "unbounded"
      }
    )
    assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag).toSorted(), ["Stored", "Taken", "Taken"])
    assert.deepStrictEqual(readdirSync(join(server.files, "a")), ["b.txt"])
    const stored = outcomes.findIndex(({ _tag }) => _tag === "Stored")
    assert.isTrue(readFileSync(join(server.files, "a/b.txt"), "utf8") === texts[stored])
  })
)

onRealServer("a request that the server does not do is named with its status", (server, destination) =>
  Effect.gen(function* () {
    const sink = yield* FileSink
    writeFileSync(join(server.files, "a"), "a file")
    const outcome = yield* sink.put(destination, yield* file("a/b.txt", "one"))
    assert.strictEqual(outcome._tag, "Failed")
    assert.match(JSON.stringify(outcome), /The destination answered (STAT|OPEN) with status \d \(.*\)/)
    const missing = { ...destination, url: destination.url.replace("/~/", `/${randomUUID()}/`) }
    assert.deepStrictEqual(yield* sink.put(missing, yield* file("b.txt", "one")), {
      _tag: "Failed",
      reason: "The destination answered OPEN with status 2 (no such file)",
      retryAfterMillis: null
    })
  })
)

it.live("a password is sent to the server with the host key alone, and no outcome repeats what that says", () =>
  Effect.gen(function* () {
    const key = ssh2.utils.generateKeyPairSync("ed25519")
    const shown = ssh2.utils.parseKey(key.public)
    if (shown instanceof Error) return assert.fail("The key was not made")
    const tried: Array<string> = []
    const server = new ssh2.Server({ hostKeys: [key.private] }, (client) => {
      client.on("error", () => undefined)
      client.on("authentication", (context) => {
        if (context.method !== "password") return context.reject(["password"])
        tried.push(context.password)
        if (context.password === "canary-wrong") context.reject(["password"])
        else context.accept()
      })
      client.on("session", (accept) =>
        accept().on("sftp", (accept) => {
          const sftp = accept()
          sftp.on("STAT", (id) => sftp.status(id, 4, "no file for canary"))
        })
      )
    })
    const port = yield* listening(createServer((socket) => server.injectSocket(socket)))
    const hostKey = `SHA256:${createHash("sha256").update(shown.getPublicSSH()).digest("base64").replace("=", "")}`
    const put = Effect.fnUntraced(
      function* (password: string, hostKey: string) {
        const access = Redacted.make({ username: "robot", password })
        const one = yield* file("one.txt", "one")
        return yield* (yield* FileSink).put({ type: "sftp", url: `sftp://127.0.0.1:${port}/`, hostKey, access }, one)
      },
      Effect.provide(sinkFor(port))
    )
    assert.strictEqual((yield* put("canary-1", `SHA256:${"A".repeat(43)}`))._tag, "Refused")
    assert.deepStrictEqual(tried, [])
    const reasons: Array<unknown> = []
    for (const password of ["canary-wrong", "canary-2"]) {
      const outcome = yield* put(password, hostKey)
      reasons.push(outcome._tag === "Failed" ? outcome.reason : outcome)
    }
    assert.deepStrictEqual(reasons, [
      "The destination does not accept the access",
      "The destination answered STAT with status 4 (failure)"
    ])
    assert.deepStrictEqual(tried, ["canary-wrong", "canary-2"])
  }).pipe(Effect.scoped)
)

it.effect("a private key that cannot be read is refused without it", () =>
  Effect.gen(function* () {
    const encrypted = ssh2.utils.generateKeyPairSync("ed25519", {
      passphrase: "canary",
      cipher: "aes256-cbc",
      rounds: 16
    })
    for (const privateKey of ["canary", encrypted.private]) {
      const outcome = yield* (yield* FileSink).put(
        {
          type: "sftp",
          url: "sftp://files.example.com/",
          hostKey: `SHA256:${"A".repeat(43)}`,
          access: Redacted.make({ username: "canary", privateKey })
        },
        yield* file("one.txt", "one")
      )
      assert.strictEqual(outcome._tag, "Refused")
      assert.match(JSON.stringify(outcome), /The private key of the destination cannot be read/)
      assert.notMatch(JSON.stringify(outcome), /canary/)
    }
  }).pipe(Effect.provide(sinkFor(1)))
)

it.effect("a server that says nothing is given up", () =>
  Effect.gen(function* () {
    const connected = yield* Deferred.make<void>()
    const port = yield* listening(createServer(() => Deferred.doneUnsafe(connected, Effect.void)))
    const attempt = Effect.flatMap(FileSink, (sink) =>
      Effect.flatMap(file("one.txt", "one"), (one) =>
        sink.put(
          {
            type: "sftp",
            url: `sftp://127.0.0.1:${port}/`,
            hostKey: `SHA256:${"A".repeat(43)}`,
            access: Redacted.make({ username: "robot", password: "canary" })
          },
          one
        )
      )
    )
    const fiber = yield* Effect.forkChild(Effect.provide(attempt, sinkFor(port)))
    yield* Deferred.await(connected)
    yield* TestClock.adjust(HttpSink.defaults.budgetMillis)
    assert.deepStrictEqual(yield* Fiber.join(fiber), {
      _tag: "Failed",
      reason: "No answer within 120000 ms",
      retryAfterMillis: null
    })
  }).pipe(Effect.scoped)
)
