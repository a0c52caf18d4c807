/**
 * Fetches the files that runs upload, from public addresses only unless others are allowed. A file is written to disk
 * while it is received, and never held in memory.
 */
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as FileNames from "../../core/browser/file/FileNames.ts"
import { FileNotFetched, FileSource, fetchMillis, maxUploadBytes } from "../../core/browser/file/FileSource.ts"
import * as Names from "./Names.ts"
import { bareHost, isLocal, lookupFor, PrivateAddress, reasonOf, sentence } from "./Reach.ts"

export interface Options {
  readonly allowPrivateNetworks: boolean
  /** Private origins that may be reached, such as `http://127.0.0.1:4000`. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Maximum size of a file, in bytes. */
  readonly maxBytes: number
  /** Maximum time from the first connection to the last byte, in milliseconds. */
  readonly budgetMillis: number
}

export const defaults: Options = {
  allowPrivateNetworks: false,
  allowedOrigins: [],
  maxBytes: maxUploadBytes,
  budgetMillis: fetchMillis
}

const incomplete = new FileNotFetched({ kind: "failed", reason: "the answer ended before it was complete" })

/** Maximum number of redirects. */
const maxRedirects = 5

export const layer = (options: Options) => Layer.succeed(FileSource, make(options))

export const make = (options: Options): FileSource => {
  const { allowedOrigins, allowPrivateNetworks, budgetMillis, maxBytes } = options
  const names = Names.make(Names.defaults)
  const isExempt = (url: URL) => allowPrivateNetworks || allowedOrigins.includes(url.origin)

  const refusal = (url: URL): string | null => {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return `it leads to an address with ${url.protocol}, only http: and https: are allowed`
    }
    return isLocal(url) && !isExempt(url) ? sentence(bareHost(url)) : null
  }

  const tooLarge = new FileNotFetched({
    kind: "tooLarge",
    reason: `it is larger than ${maxBytes / 1_000_000} MB, the maximum size of an uploaded file (maxUploadBytes)`
  })

  const asked = (url: URL) =>
    Effect.callback<IncomingMessage, FileNotFetched>((resume) => {
      const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
        agent: false,
        headers: { accept: "*/*", "accept-encoding": "identity" },
        lookup: lookupFor(names, isExempt(url))
      })
      outgoing.on("response", (incoming) => resume(Effect.succeed(incoming)))
      // No request asks for another protocol. An unhandled upgrade would leave the request pending.
      outgoing.on("upgrade", (_incoming, socket) => {
        socket.destroy()
        const reason = "the server switched to another protocol (status 101), which was not asked for"
        resume(Effect.fail(new FileNotFetched({ kind: "failed", reason })))
      })
      outgoing.on("error", (error) => {
        const kind = error instanceof PrivateAddress ? "forbidden" : "failed"
        const reason = error instanceof PrivateAddress ? error.message : reasonOf(error)
        resume(Effect.fail(new FileNotFetched({ kind, reason })))
      })
      outgoing.end()
      return Effect.sync(() => void outgoing.destroy())
    })

  /** Writes a response to a file, up to the size limit. */
  const written = (incoming: IncomingMessage, path: string) =>
    Effect.callback<void, FileNotFetched>((resume) => {
      // The connection may have ended before anything listened to it.
      if (incoming.destroyed) return resume(Effect.fail(incomplete))
      const file = createWriteStream(path, { mode: 0o600 })
      let size = 0
      const end = (failure: FileNotFetched | null) => {
        if (failure !== null) {
          incoming.destroy()
          file.destroy()
        }
        resume(failure === null ? Effect.void : Effect.fail(failure))
      }
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) end(tooLarge)
      })
      incoming.on("error", () => end(incomplete))
      file.on("error", () => end(new FileNotFetched({ kind: "failed", reason: "it could not be written to disk" })))
      file.on("finish", () => end(null))
      incoming.pipe(file)
      return Effect.sync(() => {
        incoming.destroy()
        file.destroy()
      })
    })

  const fetched = Effect.fnUntraced(function* (first: URL, isRefused: (url: URL) => string | null) {
    let url = first
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const refused = refusal(url) ?? isRefused(url)
      if (refused !== null) return yield* new FileNotFetched({ kind: "forbidden", reason: refused })
      // A site may never answer.
      const incoming = yield* Effect.acquireRelease(asked(url), (one) => Effect.sync(() => void one.destroy()), {
        interruptible: true
      })
      const { headers, statusCode: status = 0 } = incoming
      if (
        status >= 300 &&
        status < 400 &&
        headers.location !== undefined &&
        URL.parse(headers.location, url) !== null
      ) {
        incoming.destroy()
        url = new URL(headers.location, url)
        continue
      }
      if (status !== 200) {
        return yield* new FileNotFetched({ kind: "failed", reason: `the server answered with status ${status}` })
      }
      if (Number(headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "sluice-file-"))),
        (path) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))
      )
      const path = join(folder, "file")
      yield* written(incoming, path)
      return { path, fileName: nameOf(first, headers["content-disposition"]) }
    }
    return yield* new FileNotFetched({ kind: "failed", reason: `it redirects more than ${maxRedirects} times` })
  })

  return FileSource.of({
    get: (url, isRefused) =>
      fetched(url, isRefused).pipe(
        Effect.timeoutOrElse({
          duration: budgetMillis,
          orElse: () =>
            Effect.fail(
              new FileNotFetched({
                kind: "failed",
                reason: `it was not received within ${budgetMillis} ms (fetchMillis)`
              })
            )
        })
      )
  })
}

/** The file name in the response, or else the last part of the address. */
const nameOf = ({ pathname }: URL, disposition: string | undefined): string => {
  const encoded = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition ?? "")?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? "")
  const given = encoded === undefined ? (plain?.[1] ?? plain?.[2]) : decoded(encoded)
  return FileNames.safe(given ?? decoded(pathname.split("/").at(-1) ?? ""), "file")
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
