/** Mail from strangers: what it costs, and what it cannot do to the mail of others. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import * as MailThread from "../../../adapters/mail/MailThread.ts"
import * as SmtpServer from "../../../adapters/mail/SmtpServer.ts"
import { Mailboxes } from "../../../core/vault/inbox/Mailboxes.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { inboxDomain, latest, mailed, makeCredential, receiving, smtp } from "../../support/inbox.ts"
import { hangMillis } from "../../support/limits.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** Sends commands and mails one after the other, each when the one before was answered; answers the statuses. */
const speak = (lines: ReadonlyArray<string>) =>
  Effect.flatMap(SmtpServer.SmtpServer, ({ port }) =>
    Effect.callback<ReadonlyArray<number>>((resume) => {
      const socket = connect(port, "127.0.0.1")
      const waiting = ["EHLO stranger.example", ...lines, "QUIT"]
      const statuses: Array<number> = []
      let heard = ""
      socket.on("error", () => {})
      socket.on("close", () => resume(Effect.succeed(statuses.slice(2))))
      socket.on("data", (chunk) => {
        heard += chunk.toString("latin1")
        const answered = /^(\d{3}) [^\r]*\r\n/m.exec(heard)
        if (answered === null) return
        heard = ""
        statuses.push(Number(answered[1]))
        const next = waiting.shift()
        if (next !== undefined) socket.write(`${next}\r\n`)
      })
    })
  )

const from = "MAIL FROM:<a@stranger.example>"
const to = (address: string) => `RCPT TO:<${address}>`
const codeMail = (address: string, code: string) => [
  from,
  to(address),
  "DATA",
  `From: a@stranger.example\r\nSubject: Your verification code\r\n\r\nYour verification code is ${code}.\r\n.`
]

/** Texts of which the parser took 2.4 to 7 s for 512 kB. */
const slow: Readonly<Record<string, string>> = {
  "empty lines": "\n".repeat(2_000_000),
  "empty lines with returns": "\r\n".repeat(1_000_000),
  "lines of one letter": "a\r\n".repeat(600_000),
  "lines of one space": " \r\n".repeat(600_000),
  "open elements": `<a>${"<a>".repeat(400_000)}`
}
const headers =
  "From: a@stranger.example\r\nSubject: Hello\r\nContent-Type: text/html\r\nDKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=stranger.example; s=k; h=from; bh=AAAA; b=BBBB\r\n"

const shared = (options: Partial<SmtpServer.Options> = {}) => Layer.fresh(smtp(options))

describe("mails made of what costs a parser most", () => {
  for (const [name, body] of Object.entries(slow)) {
    it.live(`do not hold the event loop, and leave other mail readable: ${name}`, () =>
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const address = yield* makeCredential(caller, "robot")
        yield* speak(codeMail(address, "111111"))
        const mail = [from, to(address), "DATA", `${headers}\r\n${body}\r\n.`]
        const { cost, value } = yield* HeldLoop.least(speak([...mail, ...mail]))
        assert.deepStrictEqual(value, [250, 250, 354, 250, 250, 250, 354, 250, 221])
        // One such mail took seconds in one piece.
        assert.isBelow(cost, HeldLoop.most)
        yield* speak(codeMail(address, "222222"))
        assert.strictEqual((yield* latest(caller.workspaceId, address))?.value, "222222")
      }).pipe(Effect.provide(shared()))
    )
  }
})

describe("the thread that reads mails", () => {
  const busy = new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from "node:worker_threads"
     parentPort.on("message", ({ asked: { html, kind } }) => {
       if (kind === "mail") while (true);
       if (html === "memory") for (const all = []; ; ) all.push(new Array(1e6).fill(all.length))
       if (html === "exit") process.exit(1)
       parentPort.postMessage({ _tag: "Answered", text: JSON.stringify([html]) })
     })
     parentPort.postMessage({ _tag: "Ready" })`
    )}`
  )

  /** A mail takes too long; nothing else does. */
  const deadlineMillis = (kind: MailThread.Question["kind"]) => (kind === "mail" ? 500 : hangMillis)
  const bodies = (html: string) => ({ kind: "bodies", html, text: "" }) as const
  const endless = { kind: "mail", raw: new Uint8Array() } as const

  it.live("is ended when a mail takes too long or too much memory, and the next mail is read by another", () =>
    Effect.gen(function* () {
      const ask = MailThread.make({ module: busy, deadlineMillis })
      const later = ["two", "memory", "three", "exit", "four"].map(bodies)
      const answers = yield* Effect.forEach([bodies("one"), endless, ...later], ask, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, [["one"], undefined, ["two"], undefined, ["three"], undefined, ["four"]])
    })
  )

  it.live("refuses a mail while as many wait as may, and reads those that wait", () =>
    Effect.gen(function* () {
      const ask = MailThread.make({ module: busy, deadlineMillis, waiting: 2 })
      const answers = yield* Effect.forEach(
        [endless, ...["one", "two", "three"].map(bodies)],
        (question) => Effect.exit(ask(question)),
        { concurrency: "unbounded" }
      )
      const [, , , refused] = answers
      assert.deepStrictEqual(answers.slice(0, 3), [undefined, ["one"], ["two"]].map(Exit.succeed))
      assert(refused !== undefined && Exit.isFailure(refused))
      assert.instanceOf(Cause.squash(refused.cause), MailThread.MailsWaiting)
    })
  )
})

it.layer(Layer.fresh(receiving))("an address that does not exist", (it) => {
  it.effect("is looked up by an index: no entry of the vault is read for it", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const entries = yield* VaultEntries
      for (let user = 0; user < 2_000; user++) {
        yield* Effect.orDie(
          entries.insert(caller.workspaceId, mailed(caller, `user ${user}`, "https://app.example.com"))
        )
      }
      const mailboxes = yield* Mailboxes
      const prefix = caller.workspaceId.slice(-8)
      const lookUp = Effect.forEach(Array.from({ length: 300 }), (_, index) =>
        mailboxes.ownersOf(`${prefix}+nobody${index}+app-example-com`)
      )
      assert.isTrue((yield* lookUp).every((owners) => owners.length === 0))
      // Reading 2,000 entries 300 times takes seconds.
      assert.isBelow((yield* RelativeCost.leastOf(5, lookUp)).cost, 5)
      assert.deepStrictEqual(yield* mailboxes.ownersOf(`${prefix}+user=207+app-example-com`), [caller.workspaceId])
    })
  )
})

it.layer(shared({ perRecipient: [{ requests: 3, seconds: 60 }] }))("the quota of a recipient", (it) => {
  it.effect("is not used up by who only names it", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const naming = Array.from({ length: 20 }, () => [from, to(address), "RSET"]).flat()
      assert.deepStrictEqual(
        (yield* speak(naming)).filter((status) => status !== 250),
        [221]
      )
      // A client that disconnects in the middle of a mail has sent none either.
      for (let round = 0; round < 5; round++) {
        yield* Effect.flatMap(SmtpServer.SmtpServer, ({ port }) =>
          Effect.promise(
            () =>
              new Promise<void>((resolve) => {
                const socket = connect(port, "127.0.0.1")
                const lines = ["EHLO x.example", from, to(address), "DATA"]
                socket.on("data", () => {
                  const next = lines.shift()
                  if (next !== undefined) socket.write(`${next}\r\n`)
                  else socket.destroy()
                })
                socket.on("close", () => resolve())
              })
          )
        )
      }
      for (const code of ["111111", "222222", "333333"]) {
        assert.deepStrictEqual(yield* speak(codeMail(address, code)), [250, 250, 354, 250, 221])
        assert.strictEqual((yield* latest(caller.workspaceId, address))?.value, code)
      }
      assert.deepStrictEqual((yield* speak([from, to(address)])).slice(0, 2), [250, 450])
    })
  )
})

it.layer(
  shared({
    perRecipient: [{ requests: 100, seconds: 60 }],
    perRemoteAndRecipient: [{ requests: 2, seconds: 60 }]
  })
)("one sender", (it) => {
  it.effect("uses up what it may send to a recipient, and no other recipient's", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const [one, other] = [yield* makeCredential(caller, "one"), yield* makeCredential(caller, "other")]
      const sent = yield* speak([...codeMail(one, "111111"), ...codeMail(one, "222222"), from, to(one), to(other)])
      assert.deepStrictEqual(sent, [250, 250, 354, 250, 250, 250, 354, 250, 250, 450, 250, 221])
      assert.include(one, inboxDomain)
    })
  )
})
