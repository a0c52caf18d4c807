/**
 * A session with an SFTP server whose host key is known: version 3 of the protocol, over a separate connection.
 *
 * What a server says of itself is not repeated, as it knows the access.
 */
import { createHash } from "node:crypto"
import { connect, type LookupFunction } from "node:net"
import { Effect, Redacted, type Scope } from "effect"
import type { SFTPWrapper } from "ssh2"
import type { OpenDestination, PutOutcome } from "../../core/run/delivery/FileSink.ts"
import { bareHost, PrivateAddress, reasonOf } from "../http/Reach.ts"

/** A status that a server answered a request with; `null` when the session ended without an answer. */
export interface NotDone {
  readonly _tag: "NotDone"
  readonly request: string
  readonly status: number | null
}

/** The file that is to be sent could not be read. */
export interface Unread {
  readonly _tag: "Unread"
  readonly message: string
}

const noSuchFile = 2

export const isNoSuchFile = (trouble: NotDone | Unread): boolean =>
  trouble._tag === "NotDone" && trouble.status === noSuchFile

const statuses: Readonly<Record<number, string>> = {
  1: "end of file",
  [noSuchFile]: "no such file",
  3: "permission denied",
  4: "failure",
  5: "bad message",
  8: "not supported"
}

export const failed = (reason: string): PutOutcome => ({ _tag: "Failed", reason, retryAfterMillis: null })

export const refused = (reason: string): PutOutcome => ({ _tag: "Refused", reason })

/** What came of an attempt that ended so. */
export const outcomeOf = (trouble: NotDone | Unread): PutOutcome => {
  if (trouble._tag === "Unread") return failed(trouble.message)
  const { request, status } = trouble
  if (status === null) return failed(`The connection ended before ${request} was answered`)
  const meaning = statuses[status]
  return failed(
    `The destination answered ${request} with status ${status}${meaning === undefined ? "" : ` (${meaning})`}`
  )
}

type Answer<A> = (error: Error | null | undefined, value: A) => void

/** Sends one request of a session. */
export const ask = <A = unknown>(request: string, send: (answer: Answer<A>) => void): Effect.Effect<A, NotDone> =>
  Effect.callback<A, NotDone>((resume) =>
    send((error, value) => {
      if (error == null) return resume(Effect.succeed(value))
      const status = "code" in error && typeof error.code === "number" ? error.code : null
      resume(Effect.fail({ _tag: "NotDone", request, status }))
    })
  )

/** The URL of an SFTP server as one whose host is checked and written in one way, which the platform does for http. */
export const checkedUrl = (text: string): URL => new URL(text.replace(/^sftp:/i, "http:"))

const standardPort = 22

/** The type and the fingerprint of a host key, as `ssh-keygen -l` writes them. */
const shownKey = (key: Buffer) => ({
  type: key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1"),
  fingerprint: `SHA256:${createHash("sha256").update(key).digest("base64").replace("=", "")}`
})

/** Opens a session, which ends with the scope. It fails with what came of the attempt. */
export const open = (
  { access, hostKey, url }: OpenDestination,
  lookup: LookupFunction
): Effect.Effect<SFTPWrapper, PutOutcome, Scope.Scope> =>
  Effect.gen(function* () {
    // Loaded by the first file: most installations send none to such a server.
    const { default: ssh2 } = yield* Effect.promise(() => import("ssh2"))
    const { password, privateKey, username } = Redacted.value(access)
    if (privateKey !== undefined && ssh2.utils.parseKey(privateKey) instanceof Error) {
      return yield* Effect.fail(
        refused(
          "The private key of the destination cannot be read: expected the OpenSSH or PEM form without a passphrase"
        )
      )
    }
    const host = checkedUrl(url)
    const port = Number(URL.parse(url)?.port || standardPort)
    const { client, socket } = yield* Effect.acquireRelease(
      Effect.sync(() => ({ client: new ssh2.Client(), socket: connect({ host: bareHost(host), port, lookup }) })),
      ({ client, socket }) =>
        Effect.sync(() => {
          client.end()
          socket.destroy()
        })
    )
    return yield* Effect.callback<SFTPWrapper, PutOutcome>((resume) => {
      const end = (outcome: PutOutcome) => resume(Effect.fail(outcome))
      // An error that comes later ends the requests that are open. It must have a listener.
      client.on("error", (error) => {
        if (error instanceof PrivateAddress) end(refused(error.message))
        else if (error.level === "client-socket") end(failed(reasonOf(error)))
        else if (error.level === "client-authentication") end(failed("The destination does not accept the access"))
        else end(failed(`No session with an SSH server came about: ${error.level ?? "it ended the connection"}`))
      })
      client.on("close", () => end(failed("The connection ended before a session began")))
      client.on("ready", () =>
        client.sftp((error, sftp) =>
          error === undefined ? resume(Effect.succeed(sftp)) : end(failed("The destination has no SFTP"))
        )
      )
      client.connect({
        sock: socket,
        username: username ?? "",
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
        // The whole attempt has a limit.
        readyTimeout: 0,
        hostVerifier: (key: Buffer) => {
          const { fingerprint, type } = shownKey(key)
          if (fingerprint === hostKey) return true
          end(refused(`The destination showed the host key ${fingerprint} (${type}), expected ${hostKey ?? "none"}`))
          return false
        }
      })
    })
  })
