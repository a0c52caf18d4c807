/** Sends one request over a separate connection, and reads its answer up to a size limit. */
import { createHash } from "node:crypto"
import { request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { pipeline, Readable } from "node:stream"
import { Effect, Stream } from "effect"
import { isConnectionRefused, PrivateAddress, reasonOf } from "./Reach.ts"

/** A body that is read while it is sent. */
export interface StreamedBody {
  /** How many bytes it has. */
  readonly byteLength: number
  readonly read: () => Stream.Stream<Uint8Array, Error>
}

export interface Request {
  readonly method: "GET" | "MKCOL" | "POST" | "PUT"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | StreamedBody
  /** Looks up the name of the host, and refuses addresses that must not be reached. */
  readonly lookup: LookupFunction
  /** Maximum length of the answer, in bytes. */
  readonly maxAnswerBytes: number
  /** Whether only the SHA-256 of the answer is needed, and its body is not kept. */
  readonly hashed?: boolean
}

export type Answer =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: Buffer
      /** The SHA-256 of a whole body that was not kept, in hexadecimal; `null` for one that was kept or cut. */
      readonly sha256: string | null
      /** Whether the answer was longer than the limit. */
      readonly isCut: boolean
    }
  | { readonly _tag: "Unreachable"; readonly reason: string; readonly isConnectionRefused?: boolean }
  /** The host is at an address that `lookup` does not allow. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** Interruption closes the connection. Redirects are answers like any other. */
export const send = ({ body, hashed, headers, lookup, maxAnswerBytes, method, url }: Request): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "Content-Length": body.byteLength }) },
      // A separate connection for each request, so that each address is checked before it is connected to.
      agent: false,
      lookup
    })
    const done = (answer: Answer) => {
      resume(Effect.succeed(answer))
      outgoing.destroy()
    }
    outgoing.on("error", (error) =>
      done(
        error instanceof PrivateAddress
          ? { _tag: "Refused", reason: error.message }
          : { _tag: "Unreachable", reason: reasonOf(error), isConnectionRefused: isConnectionRefused(error) }
      )
    )
    // No request asks for another protocol. An unhandled upgrade would leave the request pending.
    outgoing.on("upgrade", (_incoming, socket) => {
      socket.destroy()
      done({
        _tag: "Unreachable",
        reason: "The server switched to another protocol (status 101), which was not asked for"
      })
    })
    // The first of several errors is reported.
    outgoing.on("close", () => done({ _tag: "Unreachable", reason: "The connection ended without an answer" }))
    outgoing.on("response", (incoming) => {
      const chunks: Array<Buffer> = []
      const hash = hashed === true ? createHash("sha256") : null
      let read = 0
      const answered = (isCut: boolean) =>
        done({
          _tag: "Answered",
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
          sha256: isCut ? null : (hash?.digest("hex") ?? null),
          isCut
        })
      incoming.on("data", (chunk: Buffer) => {
        read += chunk.length
        if (read > maxAnswerBytes) answered(true)
        else if (hash === null) chunks.push(chunk)
        else hash.update(chunk)
      })
      incoming.on("end", () => answered(false))
      incoming.on("error", () => done({ _tag: "Unreachable", reason: "The answer ended before it was complete" }))
    })
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body)
    else {
      const source = Readable.from(Stream.toAsyncIterable(body.read()))
      source.on("error", ({ message }) => done({ _tag: "Unreachable", reason: message }))
      // The errors of the request are reported above.
      pipeline(source, outgoing, () => undefined)
    }
    return Effect.sync(() => void outgoing.destroy())
  })
