/**
 * The mail server of the inbox. It accepts mail for the addresses of credentials, and relays none.
 *
 * A mail is accepted when its codes and links are stored; after any earlier error the sender is told to try again
 * later.
 */

import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { PassThrough } from "node:stream"
import { Cause, Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server"
import type { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { Receiving } from "../../core/vault/inbox/Receiving.ts"
import * as RateLimit from "../../core/workspace/request/RateLimit.ts"
import * as Mail from "./Mail.ts"
import * as MailAuth from "./MailAuth.ts"
import * as MailThread from "./MailThread.ts"
import * as SelfSigned from "./SelfSigned.ts"

export interface Options {
  readonly host: string
  /** `0` selects a free port. */
  readonly port: number
  /** The name that the server gives itself: the domain of the inbox. */
  readonly name: string
  /** For STARTTLS; `null` generates a self-signed one. */
  readonly certificate: SelfSigned.Certificate | null
  readonly maxBytes: number
  readonly maxRecipients: number
  readonly maxClients: number
  /** Maximum number of clients from one address. */
  readonly maxClientsPerAddress: number
  /** Mails from one remote address, including unknown recipients that it names. */
  readonly perRemoteAddress: ReadonlyArray<RateLimit.Limit>
  /** Complete mails to one recipient. A recipient that is only named does not count. */
  readonly perRecipient: ReadonlyArray<RateLimit.Limit>
  /** Mails from one remote address to one recipient: fewer than a recipient may receive in total. */
  readonly perRemoteAndRecipient: ReadonlyArray<RateLimit.Limit>
  /** Maximum idle time of a client, in milliseconds. */
  readonly idleMillis: number
  /** Maximum duration of a session, in milliseconds. */
  readonly sessionMillis: number
  /** Grace period for open sessions when the server closes, in milliseconds. */
  readonly closeMillis: number
  readonly authentication: MailAuth.Options
}

export const defaults: Omit<Options, "host" | "port" | "name" | "certificate"> = {
  maxBytes: 10_485_760,
  maxRecipients: 50,
  maxClients: 200,
  maxClientsPerAddress: 50,
  perRemoteAddress: [{ requests: 1_200, seconds: 60 }],
  perRecipient: [{ requests: 60, seconds: 60 }],
  perRemoteAndRecipient: [{ requests: 30, seconds: 60 }],
  idleMillis: 60_000,
  sessionMillis: 600_000,
  closeMillis: 5_000,
  authentication: MailAuth.defaults
}

/** Raised if the server cannot listen on the configured port. */
export class CannotReceiveMail extends Schema.TaggedError<CannotReceiveMail>()("CannotReceiveMail", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot receive mail on ${this.host}:${this.port}: ${this.reason}. Choose another one with SLUICE_SMTP_HOST and SLUICE_SMTP_PORT`
  }
}

/** The port that the server listens on. */
export class SmtpServer extends Context.Service<SmtpServer, { readonly port: number }>()(
  "sluice/adapters/mail/SmtpServer"
) {}

/** A refusal in SMTP form. */
class Reply extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** Ends the connection. */
const tooMany = new Reply(421, "4.7.0 Too many mails; try again later")
const later = new Reply(451, "4.3.0 The mail could not be processed; try again later")

const fullMailbox = new Reply(450, "4.2.1 Too many mails to this address; try again later")

const fullWorkspace = new Reply(450, "4.2.1 Too many mails to this workspace; try again later")

/** Mails with longer headers are not verified. */
const maxHeaderBytes = 131_072

/**
 * Mails with more lines are not verified, because a signature is checked line by line. Ten megabytes of attachments
 * have fewer.
 */
const maxVerifiedLines = 200_000

/** Maximum number of bytes verified at a time, so that other clients are served in between. */
const verifiedAtOnce = 16_384

export const layer = (options: Options) =>
  Layer.effect(
    SmtpServer,
    Effect.gen(function* () {
      const receiving = yield* Receiving
      const certificate = options.certificate ?? SelfSigned.make(options.name, yield* Clock.currentTimeMillis)
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const now = () => clock.currentTimeMillisUnsafe()
      const remotes = makePace(options.perRemoteAddress)
      const recipients = makePace(options.perRecipient)
      const pairs = makePace(options.perRemoteAndRecipient)
      const clients = new Map<string, { readonly since: number; readonly address: string }>()

      /** Answers a client by the result of an effect: acceptance, a refusal, or a temporary error. */
      const answer = (effect: Effect.Effect<Reply | null, StoreUnavailable>, done: (error?: Error | null) => void) => {
        run(effect).addObserver((exit) => {
          if (Exit.isSuccess(exit)) return done(exit.value)
          const isFull = Cause.squash(exit.cause) instanceof MailThread.MailsWaiting
          if (!Cause.hasInterrupts(exit.cause) && !isFull)
            run(Effect.logError("A mail could not be processed", exit.cause))
          done(later)
        })
      }

      const recipient = Effect.fnUntraced(function* (address: string, { envelope, remoteAddress }: SMTPServerSession) {
        if (envelope.rcptTo.length >= options.maxRecipients) return new Reply(452, "4.5.3 Too many recipients")
        const accepted = address.length > 1_000 ? "unknown" : yield* receiving.accepts(address)
        if (accepted === "unknown") {
          // Looking up an address takes time, so an unknown one counts like a mail.
          return remotes.take(remoteAddress, now()) ? new Reply(550, "5.1.1 No such address here") : tooMany
        }
        if (accepted === "full") return fullWorkspace
        return hasRoom(remoteAddress, address) ? null : fullMailbox
      })

      const hasRoom = (remoteAddress: string, address: string): boolean =>
        !recipients.isFull(address.toLowerCase(), now()) && !pairs.isFull(pairOf(remoteAddress, address), now())

      const mail = Effect.fnUntraced(function* (stream: SMTPServerDataStream, session: SMTPServerSession) {
        const { head, verified } = yield* take(stream, session, options.authentication)
        if (stream.sizeExceeded) return new Reply(552, `5.3.4 The mail is larger than ${options.maxBytes} bytes`)
        const addresses = session.envelope.rcptTo.map(({ address }) => address)
        if (!addresses.every((address) => hasRoom(session.remoteAddress, address))) return fullMailbox
        for (const address of addresses) {
          recipients.take(address.toLowerCase(), now())
          pairs.take(pairOf(session.remoteAddress, address), now())
        }
        const authentication = yield* verified
        const { id, message } = yield* MailThread.mail(head)
        return yield* receiving.mail({ recipients: addresses, message, id, authentication }).pipe(
          Effect.as(null),
          Effect.catchTag("TooManyMails", () => Effect.succeed(fullWorkspace))
        )
      })

      const server = new SMTPServer({
        name: options.name,
        banner: "sluice",
        key: certificate.key,
        cert: certificate.cert,
        minVersion: "TLSv1.2",
        disabledCommands: ["AUTH"],
        disableReverseLookup: true,
        size: options.maxBytes,
        maxClients: options.maxClients,
        socketTimeout: options.idleMillis,
        closeTimeout: options.closeMillis,
        logger: false,
        onConnect: ({ id, remoteAddress: address }, done) => {
          const beside = [...clients.values()].filter((client) => client.address === address).length
          if (beside >= options.maxClientsPerAddress) return done(new Reply(421, "4.7.0 Too many connections"))
          clients.set(id, { since: now(), address })
          done()
        },
        onClose: ({ id }) => void clients.delete(id),
        onMailFrom: (_address, { remoteAddress }, done) => done(remotes.take(remoteAddress, now()) ? null : tooMany),
        onRcptTo: ({ address }, session, done) => answer(recipient(address, session), done),
        onData: (stream, session, done) => answer(mail(stream, session), done)
      })
      // Ignore errors of single clients.
      server.on("error", () => {})

      yield* Effect.acquireRelease(listening(server, options), () => closed(server))
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(options.idleMillis),
            Effect.sync(() => {
              for (const connection of server.connections) {
                const client = clients.get(connection.session.id)
                if (client !== undefined && now() - client.since > options.sessionMillis) connection.close()
              }
            })
          )
        )
      )
      // A server that listens on a port has such an address.
      return SmtpServer.of({ port: (server.server.address() as AddressInfo).port })
    })
  )

/** Receives a mail: the part of it that is read, and the verification of its sender. */
const take = Effect.fnUntraced(function* (
  stream: SMTPServerDataStream,
  { clientHostname, envelope, hostNameAppearsAs, remoteAddress }: SMTPServerSession,
  authentication: MailAuth.Options
) {
  const whole = new PassThrough()
  const sender = envelope.mailFrom === false ? "" : envelope.mailFrom.address
  const handing = { remoteAddress, helo: hostNameAppearsAs || clientHostname, sender }
  const head: Array<Buffer> = []
  let kept = 0
  let lines = 0
  let tail = ""
  let state: "headers" | "verifying" | "unverified" = "headers"
  const verifying: { result: Promise<string> } = { result: Promise.resolve(MailAuth.unknown) }

  const verify = async (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && state === "verifying"; at += verifiedAtOnce) {
      const part = bytes.subarray(at, at + verifiedAtOnce)
      lines += linesIn(part)
      if (lines > maxVerifiedLines) {
        state = "unverified"
        whole.destroy(new Error("The mail has too many lines"))
        // The verifier may have given up, and then reads no further data.
      } else if (!whole.write(part)) await Promise.race([once(whole, "drain"), verifying.result])
      await new Promise(setImmediate)
    }
  }
  const begin = async () => {
    state = "verifying"
    verifying.result = Effect.runPromise(MailAuth.verify(whole, handing, authentication))
    await verify(Buffer.concat(head))
  }
  yield* Effect.tryPromise(async () => {
    whole.on("error", () => {})
    // A stream without an encoding gives buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = Mail.maxBytes - kept
      const part = chunk.length <= room ? chunk : chunk.subarray(0, room)
      // A copy, because a slice would keep the whole buffer in memory.
      if (part.length > 0) head.push(Buffer.from(part))
      kept += part.length
      if (state === "verifying") await verify(chunk)
      else if (state === "headers") {
        const seen = tail + chunk.toString("latin1")
        tail = seen.slice(-3)
        if (kept > maxHeaderBytes) state = "unverified"
        else if (seen.includes("\r\n\r\n") || seen.includes("\n\n")) await begin()
      }
    }
    if (state === "headers") await begin()
    whole.end()
  }).pipe(Effect.orDie)
  return { head: Buffer.concat(head), verified: Effect.promise(() => verifying.result) }
})

const linesIn = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

const listening = (server: SMTPServer, { host, port }: Options) =>
  Effect.callback<SMTPServer, CannotReceiveMail>((resume) => {
    const fail = (error: Error) => resume(Effect.fail(new CannotReceiveMail({ host, port, reason: error.message })))
    server.server.once("error", fail)
    server.listen(port, host, () => {
      server.server.removeListener("error", fail)
      resume(Effect.succeed(server))
    })
  })

const closed = (server: SMTPServer) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    // Idle connections are closed at once.
    for (const connection of server.connections) {
      if (connection.session.envelope.rcptTo.length === 0) connection.close()
    }
  })

/** Maximum number of counters; beyond it, the least recently active ones are removed. */
const maxCounted = 50_000

const pairOf = (remoteAddress: string, address: string): string => `${remoteAddress} ${address.toLowerCase()}`

/** Rate limits by name, for many names. */
const makePace = (limits: ReadonlyArray<RateLimit.Limit>) => {
  const counted = RateLimit.book(maxCounted)
  return {
    /** Returns whether another one would be refused, without counting it. */
    isFull: (name: string, now: number): boolean => limits.length > 0 && counted.isFull(name, limits, now),
    take: (name: string, now: number): boolean => limits.length === 0 || counted.take(name, limits, now).allowed
  }
}
