/**
 * Sends mails by the SMTP servers of workspaces, at public addresses only unless others are allowed.
 *
 * What a server says is not repeated, as it knows the access.
 */
import { connect, type LookupFunction, type Socket } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import type { AlertOutcome } from "../../core/event/alert/Alert.ts"
import type { MailServer, ReceiverAccess } from "../../core/event/alert/AlertReceiver.ts"
import { MailTransport, type SentMail } from "../../core/event/alert/MailTransport.ts"
import * as Names from "../http/Names.ts"
import { bareHost, isLocal, lookupFor, PrivateAddress, reasonOf, sentence } from "../http/Reach.ts"

export interface Options {
  readonly allowPrivateNetworks: boolean
}

/** Maximum time of an attempt, in milliseconds. */
const budgetMillis = 30_000

const failed = (reason: string): AlertOutcome => ({ _tag: "Failed", reason })

const refused = (reason: string): AlertOutcome => ({ _tag: "Refused", reason })

export const layer = ({ allowPrivateNetworks }: Options) =>
  Layer.sync(MailTransport, () => {
    const names = Names.make(Names.defaults)
    const lookup = lookupFor(names, allowPrivateNetworks)

    const refusal = (host: string): string | null => {
      const url = urlOf(host)
      return isLocal(url) && !allowPrivateNetworks ? sentence(bareHost(url)) : null
    }

    return MailTransport.of({
      refusal,
      send: Effect.fn("MailTransport.send")(function* (server, access, mail) {
        const reason = refusal(server.host)
        if (reason !== null) return refused(reason)
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const socket = yield* opened(server, lookup)
            return yield* sent(socket, server, Redacted.value(access), mail)
          })
        ).pipe(
          Effect.catch((outcome) => Effect.succeed(outcome)),
          Effect.timeoutOrElse({
            duration: budgetMillis,
            orElse: () => Effect.succeed(failed(`The mail server did not take the mail within ${budgetMillis} ms`))
          })
        )
      })
    })
  })

/** The host as the platform checks and writes it. */
const urlOf = (host: string): URL => new URL(`http://${host.includes(":") ? `[${host}]` : host}`)

/** A connection to a server, which ends with the scope. */
const opened = ({ host, port }: MailServer, lookup: LookupFunction) =>
  Effect.acquireRelease(
    Effect.sync(() => connect({ host: bareHost(urlOf(host)), port, lookup })),
    (socket) => Effect.sync(() => socket.destroy())
  ).pipe(
    Effect.flatMap((socket) =>
      Effect.callback<Socket, AlertOutcome>((resume) => {
        // An error that comes later ends the conversation, which tells it.
        socket.on("error", (error) =>
          resume(Effect.fail(error instanceof PrivateAddress ? refused(error.message) : failed(reasonOf(error))))
        )
        socket.once("connect", () => resume(Effect.succeed(socket)))
      })
    )
  )

/** Sends a mail over a connection. */
const sent = (
  connection: Socket,
  { host, security }: MailServer,
  { password, username }: ReceiverAccess,
  { from, messageId, subject, text, to }: SentMail
): Effect.Effect<AlertOutcome> =>
  Effect.tryPromise({
    try: async () => {
      // Loaded by the first mail: most processes send none.
      const { createTransport } = await import("nodemailer")
      const transport = createTransport({
        connection,
        host,
        secure: security === "tls",
        requireTLS: security === "starttls",
        ignoreTLS: security === "none",
        tls: { servername: host },
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(username === undefined || password === undefined ? {} : { auth: { user: username, pass: password } })
      })
      await transport.sendMail({ from, to: [...to], subject, text, messageId })
    },
    catch: (error) => outcomeOf(error instanceof Error ? error : new Error(String(error)))
  }).pipe(
    Effect.as<AlertOutcome>({ _tag: "Sent" }),
    Effect.catch((outcome) => Effect.succeed(outcome))
  )

interface MailError extends Error {
  readonly code?: string
  /** The status that the server answered with. */
  readonly responseCode?: number
}

/** A server that does not take these people is not asked again; one that does not accept the access may be set right. */
const outcomeOf = (error: MailError): AlertOutcome => {
  const { code = error.name, responseCode } = error
  const status = responseCode === undefined ? "" : `, status ${responseCode}`
  if (code === "EAUTH") return failed(`The mail server does not accept the user name and password${status}`)
  if (code === "ENOAUTH") return failed("The mail server offers no sign-in that is known")
  if (code === "ETLS" || code === "ESOCKET")
    return failed(`No secured connection came about. ${reasonOf({ ...error, code: causeOf(error) })}`)
  if (code === "EENVELOPE" && (responseCode ?? 0) >= 500) {
    return refused(`The mail server refuses the sender or every recipient${status}`)
  }
  return failed(`The mail server did not take the mail: ${code}${status}`)
}

const causeOf = ({ cause, code }: MailError): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : (code ?? "")
