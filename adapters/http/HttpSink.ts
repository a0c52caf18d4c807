/**
 * Puts files at destinations, at public addresses only unless others are allowed: over HTTP, and by `SftpSink` over SFTP.
 *
 * What is at an address is read before a file is sent there: a file that is there already is not sent again, and other
 * content is left as it is. `If-None-Match: *` closes the gap between the two, where the server heeds it. WebDAV is RFC 4918.
 * Requests to S3-compatible stores are signed.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Redacted, Stream } from "effect"
import { type Access, misfit } from "../../core/run/delivery/FileDestination.ts"
import { FileSink, type OpenDestination, type PutOutcome, type SentFile } from "../../core/run/delivery/FileSink.ts"
import * as Signature from "../s3/Signature.ts"
import * as SftpSession from "../sftp/SftpSession.ts"
import * as SftpSink from "../sftp/SftpSink.ts"
import * as Exchange from "./Exchange.ts"
import * as Names from "./Names.ts"
import { bareHost, isLocal, lookupFor, sentence } from "./Reach.ts"
import { retryAfterMillis } from "./RetryAfter.ts"

export interface Options {
  readonly allowPrivateNetworks: boolean
  /** Private origins that may be reached, such as `http://127.0.0.1:4000`. */
  readonly allowedOrigins: ReadonlyArray<string>
  /**
   * Maximum time of one request, from the connection to the last byte of the answer, and of one file over SFTP, in
   * milliseconds.
   */
  readonly budgetMillis: number
}

export const defaults: Options = { allowPrivateNetworks: false, allowedOrigins: [], budgetMillis: 120_000 }

/** The answers to GET of a server that has nothing at an address, or lets nobody read it. */
const nothingToRead = new Set([403, 404, 405, 410, 501])

/** The answers to PUT of a WebDAV server that has no folder for the file. */
const folderMissing = new Set([404, 409])

/** The answers to MKCOL of a WebDAV server that made the folder, or had something there. */
const folderThere = new Set([201, 405])

/** Statuses that define `Retry-After`. */
const waiting = new Set([429, 503])

export const layer = (options: Options) =>
  Layer.sync(FileSink, () => {
    const names = Names.make(Names.defaults)

    const noAnswer = `No answer within ${options.budgetMillis} ms`

    const isExempt = (url: URL) => options.allowPrivateNetworks || options.allowedOrigins.includes(url.origin)

    const refusal = (text: string): string | null => {
      const url = SftpSession.checkedUrl(text)
      return isLocal(url) && !isExempt(url) ? sentence(bareHost(url)) : null
    }

    /** Sends a request with the access of the destination. */
    const ask = Effect.fnUntraced(function* ({ access, type }: OpenDestination, request: Asked) {
      const opened = Redacted.value(access)
      const headers = { "User-Agent": "Sluice-Files/1.0", ...request.headers }
      const authorized =
        type === "s3"
          ? yield* Signature.signed({ ...request, headers }, opened)
          : { ...headers, ...authorizationOf(opened) }
      const lookup = lookupFor(names, isExempt(request.url))
      return yield* Exchange.send({ maxAnswerBytes: 65_536, ...request, headers: authorized, lookup }).pipe(
        Effect.timeoutOrElse({
          duration: options.budgetMillis,
          orElse: () => Effect.succeed<Exchange.Answer>({ _tag: "Unreachable", reason: noAnswer })
        })
      )
    })

    const putBySftp = (destination: OpenDestination, file: SentFile) =>
      SftpSink.put(destination, file, lookupFor(names, isExempt(SftpSession.checkedUrl(destination.url)))).pipe(
        Effect.timeoutOrElse({
          duration: options.budgetMillis,
          orElse: () => Effect.succeed<PutOutcome>({ _tag: "Failed", reason: noAnswer, retryAfterMillis: null })
        })
      )

    /** The file at an address, if the server shows one: the same, or another one. */
    const look = Effect.fnUntraced(function* (destination: OpenDestination, url: URL, file: SentFile) {
      const answer = yield* ask(destination, { method: "GET", url, maxAnswerBytes: file.size, hashed: true })
      if (answer._tag !== "Answered" || answer.status !== 200) return answer
      const isSame = answer.sha256 === file.sha256
      return (isSame ? { _tag: "Stored", wasThere: true } : { _tag: "Taken" }) satisfies PutOutcome
    })

    /** Makes the folders of a path. Answers the first answer by which one is not there; `null` when all are. */
    const makeFolders = Effect.fnUntraced(function* (destination: OpenDestination, path: string) {
      const names = path.split("/").slice(0, -1)
      for (const index of names.keys()) {
        const url = below(destination.url, `${names.slice(0, index + 1).join("/")}/`)
        const answer = yield* ask(destination, { method: "MKCOL", url })
        if (answer._tag !== "Answered" || !folderThere.has(answer.status)) return answer
      }
      return null
    })

    const put = Effect.fn("FileSink.put")(function* (destination: OpenDestination, file: SentFile) {
      const refused = refusal(destination.url) ?? problemOf(destination)
      if (refused !== null) return { _tag: "Refused", reason: refused } satisfies PutOutcome
      if (destination.type === "sftp") return yield* putBySftp(destination, file)
      const url = below(destination.url, file.path)
      const there = yield* look(destination, url, file)
      if (there._tag === "Stored" || there._tag === "Taken") return there
      if (there._tag !== "Answered" || !nothingToRead.has(there.status)) return yield* failed("GET", there)
      const send = ask(destination, {
        method: "PUT",
        url,
        headers: {
          "Content-Type": file.mediaType,
          "If-None-Match": "*",
          "Repr-Digest": `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`,
          ...(destination.type === "s3" ? { "X-Amz-Content-Sha256": file.sha256 } : {})
        },
        body: { byteLength: file.size, read: file.read }
      })
      let answer = yield* send
      if (destination.type === "webdav" && answer._tag === "Answered" && folderMissing.has(answer.status)) {
        const missing = yield* makeFolders(destination, file.path)
        if (missing !== null) return yield* failed("MKCOL", missing)
        answer = yield* send
      }
      if (answer._tag !== "Answered") return yield* failed("PUT", answer)
      if (answer.status >= 200 && answer.status < 300) {
        return { _tag: "Stored", wasThere: false } satisfies PutOutcome
      }
      if (answer.status !== 412) return yield* failed("PUT", answer)
      const other = yield* look(destination, url, file)
      return other._tag === "Stored" ? other : ({ _tag: "Taken" } satisfies PutOutcome)
    })

    return FileSink.of({ sha256, refusal: (_type, url) => refusal(url), put })
  })

const sha256 = <E>(content: Stream.Stream<Uint8Array, E>): Effect.Effect<string, E> =>
  Effect.suspend(() => {
    const hash = createHash("sha256")
    return Effect.map(
      Stream.runForEach(content, (piece) => Effect.sync(() => hash.update(piece))),
      () => hash.digest("hex")
    )
  })

/** A request to a destination. */
type Asked = Pick<Exchange.Request, "method" | "url" | "body"> &
  Partial<Pick<Exchange.Request, "hashed" | "headers" | "maxAnswerBytes">>

const authorizationOf = ({ password = "", token, username }: Access): Readonly<Record<string, string>> => {
  if (token !== undefined) return { Authorization: `Bearer ${token}` }
  if (username === undefined) return {}
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` }
}

/** What a header can have of an access. */
const visible = /^[\x21-\x7e]+$/

/** Why an access cannot be sent; `null` for one that can. It repeats nothing of it. */
const problemOf = ({ access, type }: OpenDestination): string | null => {
  const opened = Redacted.value(access)
  const misfitting = misfit(type, { access: opened })
  if (misfitting !== null) return `The access of the destination does not fit: ${misfitting.reason}`
  const { region = "-", token = "-", username } = opened
  if (!visible.test(token)) return "The token of the destination has other than visible ASCII characters"
  return type !== "s3" || (visible.test(username ?? "") && visible.test(region))
    ? null
    : "The username or region of the destination has other than visible ASCII characters"
}

/** The address of a path below that of a folder. A query of the folder stays. */
const below = (folder: string, path: string): URL => {
  const url = new URL(folder)
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`
  return url
}

const failed = (method: string, answer: Exchange.Answer): Effect.Effect<PutOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (answer._tag === "Refused") return { _tag: "Refused", reason: answer.reason }
    if (answer._tag === "Unreachable") return { _tag: "Failed", reason: answer.reason, retryAfterMillis: null }
    const { headers, status } = answer
    const followed = status >= 300 && status < 400 ? ": redirects are not followed" : ""
    return {
      _tag: "Failed",
      reason: `The destination answered ${method} with ${status}${followed}`,
      retryAfterMillis: waiting.has(status) ? retryAfterMillis(headers, now) : null
    }
  })
