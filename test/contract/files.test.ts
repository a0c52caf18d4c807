import { readFile, stat, truncate } from "node:fs/promises"
import { createServer } from "node:http"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Scope } from "effect"
import * as SignedLinks from "../../adapters/crypto/SignedLinks.ts"
import * as OwnArtifactSource from "../../adapters/files/OwnArtifactSource.ts"
import * as HttpFiles from "../../adapters/http/HttpFiles.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as FileNames from "../../core/browser/file/FileNames.ts"
import { FileNotFetched, FileSource, type LocalFile } from "../../core/browser/file/FileSource.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"
import * as FileContract from "../kit/contracts/browser/FileContract.ts"
import * as Contract from "../kit/contracts/Contract.ts"
import { listening } from "../support/listening.ts"

const maxBytes = 400_000

/** A site on loopback. */
const site = (answering: FileContract.Answering) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? "")
      response.on("error", () => undefined)
      switch (answering) {
        case "nothing":
          return
        case "part":
          return void response.writeHead(200).write("part")
        case "cut":
          return void response.writeHead(200, { "content-length": "100" }).write("part", () => response.destroy())
        case "endless": {
          response.writeHead(200)
          const more = (): void => {
            while (!response.destroyed)
              if (!response.write(Buffer.alloc(65_536))) return void response.once("drain", more)
          }
          return more()
        }
        default:
          response.writeHead(answering.status, answering.headers)
          response.flushHeaders()
          if (answering.headers?.["content-length"] === undefined) response.end(answering.body)
      }
    })
    return { origin: `http://127.0.0.1:${yield* listening(server)}`, asked: Effect.sync(() => [...asked]) }
  })

/** Origins that the sources below may reach: those of the sites that are allowed. */
const allowedOrigins: Array<string> = []

/** The port of a site that was allowed may be given again. */
const forbid = (origin: string) => {
  const others = allowedOrigins.filter((one) => one !== origin)
  allowedOrigins.splice(0, allowedOrigins.length, ...others)
}

const sites = Layer.succeed(FileContract.Sites, {
  allowed: (answering) =>
    Effect.tap(site(answering), ({ origin }) => Effect.sync(() => void allowedOrigins.push(origin))),
  forbidden: Effect.map(site({ status: 200 }), (made) => {
    forbid(made.origin)
    return { ...made, byName: made.origin.replace("127.0.0.1", hostname()) }
  }),
  maxBytes,
  read: (path) => Effect.promise(() => readFile(path).catch(() => null))
})

const options = { ...HttpFiles.defaults, allowedOrigins, maxBytes }
const fetching = HttpFiles.make(options)

const brokenBy = (source: Layer.Layer<never>) =>
  Effect.map(Contract.broken(FileContract.promises, Effect.provide(Layer.merge(source, sites))), (broken) =>
    broken.map(({ title }) => title)
  )

/** The source over HTTP that does one thing otherwise. */
const otherwise = (
  fault: (
    url: URL,
    refusal: (url: URL) => string | null,
    right: ReturnType<FileSource["get"]>
  ) => ReturnType<FileSource["get"]>
) => Layer.succeed(FileSource, { get: (url, refusal) => fault(url, refusal, fetching.get(url, refusal)) })

const saying = (kind: FileNotFetched["kind"], reason: string) => Effect.fail(new FileNotFetched({ kind, reason }))

const titled = (part: string) => FileContract.promises.map(({ title }) => title).filter((title) => title.includes(part))

const trusting = HttpFiles.make({ ...options, allowPrivateNetworks: true })

/** Each fault, and what the titles of the promises contain that it breaks. */
const faults: Readonly<Record<string, readonly [Layer.Layer<never>, ReadonlyArray<string>]>> = {
  "that keeps its files": [
    otherwise((_, __, right) => Effect.provideService(right, Scope.Scope, Effect.runSync(Scope.make()))),
    ["until its scope closes"]
  ],
  "that loses the end of a file": [
    otherwise((_, __, right) =>
      Effect.tap(right, ({ path }) =>
        Effect.promise(async () => {
          const { size } = await stat(path)
          if (size > 100_000) await truncate(path, size - 1)
        })
      )
    ),
    ["until its scope closes"]
  ],
  "that names files by their address alone": [
    otherwise((url, __, right) =>
      Effect.map(right, (file) => ({ ...file, fileName: FileNames.safe(decodeURIComponent(url.pathname), "file") }))
    ),
    ["names a file"]
  ],
  "that believes the names of servers": [
    otherwise((_, __, right) =>
      Effect.map(right, (file) => ({ ...file, fileName: file.fileName.replace("passwd", "../passwd") }))
    ),
    ["names a file"]
  ],
  "that gives several the same file": [
    Layer.suspend(() => {
      let first: LocalFile | null = null
      return otherwise((url, _, right) =>
        url.pathname !== "/same.bin" ? right : Effect.map(right, (file) => (first ??= file))
      )
    }),
    ["several files at once"]
  ],
  "that repeats the address in its failures": [
    otherwise((url, _, right) => Effect.catch(right, ({ kind, reason }) => saying(kind, `${url.href}: ${reason}`))),
    ["in place of a file", "too large", "a minute", "asks before", "refuses private", "nothing but files"]
  ],
  "that takes an error page for a file": [
    otherwise((_, __, right) =>
      Effect.catch(right, (error) =>
        error.reason.includes("status 404") ? Effect.succeed({ path: "/dev/null", fileName: "x" }) : Effect.fail(error)
      )
    ),
    ["in place of a file"]
  ],
  "that does not say that a file is too large": [
    otherwise((_, __, right) =>
      Effect.catch(right, ({ kind, reason }) => saying(kind === "tooLarge" ? "failed" : kind, reason))
    ),
    ["too large"]
  ],
  "that waits for longer": [
    Layer.succeed(FileSource, HttpFiles.make({ ...options, budgetMillis: 60_001 })),
    ["a minute"]
  ],
  "that cannot be interrupted": [
    otherwise((_, __, right) => Effect.onInterrupt(right, () => Effect.never)),
    ["interrupted"]
  ],
  "that asks about the first address only": [
    otherwise((url, refusal) => fetching.get(url, (one) => (one.href === url.href ? refusal(one) : null))),
    ["asks before"]
  ],
  "that never stops following redirects": [
    otherwise((_, __, right) =>
      Effect.retry(right, { times: 10, while: ({ reason }) => reason.includes("redirects") })
    ),
    ["without end"]
  ],
  "that knows only the usual way to write an address": [
    otherwise((url, _, right) => (url.hostname === "[::ffff:7f00:1]" ? saying("failed", "no answer") : right)),
    ["refuses private"]
  ],
  "that judges names and not where they lead": [
    otherwise((url, refusal, right) => (url.hostname === hostname() ? trusting.get(url, refusal) : right)),
    ["refuses private"]
  ],
  "that reads other schemes": [
    otherwise((url, __, right) =>
      url.protocol === "data:" ? Effect.succeed({ path: "/dev/null", fileName: "x" }) : right
    ),
    ["nothing but files"]
  ]
}

/** Artifacts of this installation come from their store, and all else from HTTP. */
const withArtifacts = OwnArtifactSource.layer(fetching).pipe(
  Layer.provide([MemoryArtifacts.layer, SignedLinks.layer]),
  Layer.provide([Memory.layer, Layer.succeed(InstallationKey, { key: Redacted.make("00".repeat(32)) })])
)

describe("the contract of sources of files", () => {
  it.live.each([
    ["over HTTP", HttpFiles.layer(options)],
    ["where artifacts come from their store", withArtifacts]
  ] as const)("is kept %s", ([, source]) =>
    Effect.map(brokenBy(source), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live("is not kept where no file is fetched", () =>
    Effect.map(brokenBy(Layer.empty), (broken) => assert.include(broken, titled("until its scope closes")[0]))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [source, parts] = faults[fault] ?? [Layer.empty, []]
      const hangs = parts.includes("a minute") || parts.includes("interrupted")
      const broken = hangs ? Effect.provideService(brokenBy(source), Contract.Patience, 2_000) : brokenBy(source)
      assert.deepStrictEqual(yield* broken, parts.flatMap(titled))
    })
  )
})
