import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createTransport, type SendMailOptions } from "nodemailer"
import * as SmtpServer from "../../../adapters/mail/SmtpServer.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { Receiving } from "../../../core/vault/inbox/Receiving.ts"
import { WorkspaceShares } from "../../../core/workspace/request/WorkspaceShares.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { dkimKey, inboxDomain, latest, makeCredential, receiving, smtp } from "../../support/inbox.ts"
import { awaited } from "../../support/waiting.ts"

/** Sends a mail as a mail program does; answers what the server said, or the refusal. */
const send = (mail: SendMailOptions, options: object = {}) =>
  Effect.flatMap(SmtpServer.SmtpServer, ({ port }) =>
    Effect.promise(async () => {
      const transport = createTransport({
        host: "127.0.0.1",
        port,
        name: "sender.example",
        tls: { rejectUnauthorized: false },
        ...options
      } as never)
      try {
        const { response } = (await transport.sendMail({ from: "site@sender.example", ...mail })) as {
          response: string
        }
        return { status: Number(response.slice(0, 3)), response }
      } catch (error) {
        const { responseCode, response } = error as { responseCode?: number; response?: string }
        return { status: responseCode ?? 0, response: response ?? String(error) }
      } finally {
        transport.close()
      }
    })
  )

const codeMail = (to: string | ReadonlyArray<string>, code: string): SendMailOptions => ({
  to: to as string,
  subject: "Your verification code",
  text: `Your verification code is ${code}.`,
  html: `<p>Your verification code is</p><h1>${code}</h1>`
})

/** Speaks to the server line by line. */
const speak = (lines: ReadonlyArray<string>, { until = "221" } = {}) =>
  Effect.flatMap(SmtpServer.SmtpServer, ({ port }) => {
    let heard = ""
    return awaited(
      "the end of a conversation",
      Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            const socket: Socket = connect(port, "127.0.0.1")
            const waiting = [...lines]
            socket.on("error", () => {})
            socket.on("close", () => resolve(heard))
            socket.on("data", (chunk) => {
              heard += chunk.toString("latin1")
              if (heard.split("\r\n").some((line) => line.startsWith(until))) {
                socket.end()
                return
              }
              // One answer, one more line.
              if (/^\d{3} [^\r]*\r\n$/m.test(chunk.toString("latin1"))) {
                const next = waiting.shift()
                if (next === undefined) socket.end()
                else socket.write(next)
              }
            })
          })
      ),
      () => heard
    )
  })

const shared = (options: Partial<SmtpServer.Options> = {}) => Layer.fresh(smtp(options))

it.layer(shared())("the mail server", (it) => {
  it.effect("keeps the code of a mail, sealed, before it says that it took it", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const { response, status } = yield* send(codeMail(address, "482913"))
      assert.strictEqual(status, 250, response)
      assert.deepStrictEqual(yield* latest(caller.workspaceId, address), {
        value: "482913",
        authentication: "spf=pass smtp.mailfrom=sender.example dkim=none"
      })
      const { receivedCodes } = yield* Tables
      assert.notInclude(JSON.stringify([...receivedCodes.values()]), "482913")
    })
  )

  it.effect("keeps a code for each of several recipients, whatever case they are written in", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const one = yield* makeCredential(caller, "Anna.Müller+x", "https://a.example.com:8443")
      const other = yield* makeCredential(caller, "bob")
      yield* send(codeMail([one.toUpperCase(), other], "111222"))
      assert.strictEqual((yield* latest(caller.workspaceId, one))?.value, "111222")
      assert.strictEqual((yield* latest(caller.workspaceId, other))?.value, "111222")
    })
  )

  it.effect("refuses an unknown recipient, and passes nothing on", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const stranger = yield* makeWorkspace()
      for (const to of [
        "somebody@elsewhere.example",
        `nobody@inbox.example`,
        address.replace("robot", "robot2"),
        address.replace(/^[^+]*/, stranger.workspaceId.slice(-8)),
        address.replace("app-example-com", "app-example-org"),
        address.replace("inbox.example", "elsewhere.example"),
        `${address}@elsewhere.example`,
        address.replace("@", "%elsewhere.example@")
      ]) {
        const { response, status } = yield* send(codeMail(to, "482913"))
        assert.include([550, 501], status, `${to}: ${response}`)
      }
    })
  )

  it.effect("accepts the address of a credential as soon as there is one", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      yield* makeCredential(caller, "first")
      const address = `${caller.workspaceId.slice(-8)}+second+app-example-com@inbox.example`
      assert.strictEqual((yield* send(codeMail(address, "482913"))).status, 550)
      yield* makeCredential(caller, "second")
      assert.strictEqual((yield* send(codeMail(address, "482913"))).status, 250)
    })
  )

  it.effect("takes a mail that is forged or of an unknown sender, and notes it", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      yield* send({ ...codeMail(address, "482913"), from: "site@forged.example" })
      assert.deepStrictEqual(yield* latest(caller.workspaceId, address), {
        value: "482913",
        authentication: "spf=fail dkim=none"
      })
    })
  )

  it.effect("knows a signature that holds, and one that was broken on the way", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const dkim = { domainName: "sender.example", keySelector: "k", privateKey: dkimKey }
      yield* send({ ...codeMail(address, "482913"), dkim } as SendMailOptions)
      assert.strictEqual(
        (yield* latest(caller.workspaceId, address))?.authentication,
        "spf=pass smtp.mailfrom=sender.example dkim=pass header.d=sender.example"
      )
      yield* send({ ...codeMail(address, "482914"), dkim: { ...dkim, keySelector: "other" } } as SendMailOptions)
      const broken = yield* latest(caller.workspaceId, address)
      assert.strictEqual(broken?.value, "482914")
      assert.notInclude(broken?.authentication ?? "", "dkim=pass")
    })
  )

  it.effect("offers encryption with its own certificate", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const { response, status } = yield* send(codeMail(address, "909090"), { requireTLS: true })
      assert.strictEqual(status, 250, response)
      assert.strictEqual((yield* latest(caller.workspaceId, address))?.value, "909090")
    })
  )

  it.effect("takes a mail without a code and keeps nothing, and keeps the links of one that has some", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      assert.strictEqual((yield* send({ to: address, subject: "News", text: "Nothing 4821 here" })).status, 250)
      assert.isNull(yield* latest(caller.workspaceId, address))
      const url = "https://app.example.com/login?token=abcdef0123456789abcdef"
      yield* send({
        to: address,
        subject: "Sign in",
        html: `<p>Click below to sign in</p><a href="${url}">Sign in</a>`
      })
      assert.isNull(yield* latest(caller.workspaceId, address))
      assert.deepStrictEqual((yield* latest(caller.workspaceId, address, "link"))?.value, [url])
    })
  )

  it.effect("keeps a mail once that is sent twice", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const mail = {
        ...codeMail(address, "482913"),
        messageId: "<1@sender.example>",
        text: "Your code is 482913",
        html: ""
      }
      yield* send(mail)
      yield* (yield* ReceivedCodes).take(caller.workspaceId, address, { kind: "code", since: 0, senders: [] })
      assert.strictEqual((yield* send(mail)).status, 250)
      assert.isNull(yield* latest(caller.workspaceId, address))
    })
  )

  it.effect("ignores attachments, however they look", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      yield* send({
        ...codeMail(address, "482913"),
        attachments: [
          { filename: "code.txt", content: "Your verification code is 999999" },
          { filename: "a.bin", content: Buffer.alloc(3_000_000) }
        ]
      })
      assert.strictEqual((yield* latest(caller.workspaceId, address))?.value, "482913")
    })
  )

  it.effect("answers what is no mail, and continues", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      assert.match(yield* speak(["DATA\r\n", "QUIT\r\n"]), /^503/m)
      assert.match(yield* speak(["EHLO x\r\n", "RCPT TO:<a@b>\r\n", "QUIT\r\n"]), /^503/m)
      assert.match(yield* speak(["EHLO x\r\n", "AUTH PLAIN AGEAYg==\r\n", "QUIT\r\n"]), /^50\d/m)
      assert.match(yield* speak(["EHLO x\r\n", "VRFY root\r\n", "QUIT\r\n"]), /^252/m)
      assert.match(yield* speak([`EHLO x\r\n`, `MAIL FROM:<${"a".repeat(5_000)}@x>\r\n`, "QUIT\r\n"]), /^5\d\d/m)
      yield* speak(["\0\xff\xfe\r\n".repeat(50), "QUIT\r\n"])
      yield* speak([
        "EHLO x\r\n",
        "MAIL FROM:<>\r\n",
        `RCPT TO:<${address}>\r\n`,
        "DATA\r\n",
        "no headers\r\n.\r\n",
        "QUIT\r\n"
      ])
      // A client that disconnects within a mail leaves nothing.
      yield* speak(
        ["EHLO x\r\n", "MAIL FROM:<>\r\n", `RCPT TO:<${address}>\r\n`, "DATA\r\n", "Subject: code 482913\r\n"],
        { until: "354" }
      )
      assert.isNull(yield* latest(caller.workspaceId, address))
      assert.strictEqual((yield* send(codeMail(address, "482913"))).status, 250)
    })
  )
})

it.layer(shared({ maxBytes: 200_000, maxRecipients: 3 }))("a mail that is too much", (it) => {
  it.effect("is refused when it is too large, and when it says that it will be", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const attachments = [{ filename: "a.bin", content: Buffer.alloc(300_000, 7) }]
      assert.strictEqual((yield* send({ ...codeMail(address, "482913"), attachments })).status, 552)
      assert.match(yield* speak(["EHLO x\r\n", "MAIL FROM:<a@sender.example> SIZE=300000\r\n", "QUIT\r\n"]), /^552/m)
      assert.isNull(yield* latest(caller.workspaceId, address))
    })
  )

  it.effect("has no more recipients than are allowed, who get it all the same", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const addresses = yield* Effect.forEach(["a", "b", "c", "d"], (user) => makeCredential(caller, user))
      assert.strictEqual((yield* send(codeMail(addresses, "482913"))).status, 250)
      assert.strictEqual((yield* latest(caller.workspaceId, addresses[2] ?? ""))?.value, "482913")
      assert.isNull(yield* latest(caller.workspaceId, addresses[3] ?? ""))
    })
  )
})

it.layer(shared({ perRemoteAddress: [{ requests: 4, seconds: 60 }], perRecipient: [{ requests: 2, seconds: 60 }] }))(
  "a sender of too many mails",
  (it) => {
    it.effect("is asked to retry later: for one recipient, then for all", () =>
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const address = yield* makeCredential(caller, "robot")
        const statuses = yield* Effect.forEach(["1", "2", "3", "4", "5"], (digit) =>
          Effect.map(send(codeMail(address, digit.repeat(6))), ({ status }) => status)
        )
        assert.deepStrictEqual(statuses, [250, 250, 450, 450, 421])
        assert.strictEqual((yield* latest(caller.workspaceId, address))?.value, "222222")
      })
    )
  }
)

const sharing = Layer.succeed(WorkspaceShares, {
  requests: Effect.succeed(null),
  mails: Effect.succeed(1),
  liveViews: Effect.succeed(null)
})

it.layer(shared().pipe(Layer.provide(sharing)))("a workspace with as many mails as it may take", (it) => {
  it.effect("takes none before its minute is over, while another one takes its own", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const [first, second] = [yield* makeCredential(one, "robot"), yield* makeCredential(one, "human")]
      assert.strictEqual((yield* send(codeMail(first, "111111"))).status, 250)
      const refused = yield* send(codeMail(second, "222222"))
      assert.deepStrictEqual([refused.status, /to this workspace/.test(refused.response)], [450, true])
      assert.isNull(yield* latest(one.workspaceId, second))
      assert.strictEqual((yield* send(codeMail(yield* makeCredential(other, "robot"), "333333"))).status, 250)
    })
  )
})

it.layer(shared({ perRemoteAddress: [{ requests: 4, seconds: 60 }] }))("a client that guesses addresses", (it) => {
  it.effect("is asked to retry later, and their connection is ended", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const address = yield* makeCredential(caller, "robot")
      const guesses = ["a", "b", "c", "d", "e"].map((user) => `RCPT TO:<${address.replace("robot", user)}>\r\n`)
      const lines = ["EHLO sender.example\r\n", "MAIL FROM:<a@sender.example>\r\n", ...guesses]
      const heard = yield* speak([...lines, `RCPT TO:<${address}>\r\n`, "QUIT\r\n"])
      const statuses = [...heard.matchAll(/^(\d{3}) /gm)].map(([, status]) => Number(status))
      assert.deepStrictEqual(statuses, [220, 250, 250, 550, 550, 550, 421])
    })
  )
})

it.layer(shared({ maxClientsPerAddress: 2 }))("a client too many", (it) => {
  it.effect("of one address is turned away, and the next one let in when another has gone", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpServer.SmtpServer
      const open = Effect.promise(
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(port, "127.0.0.1")
            socket.once("data", () => resolve(socket))
          })
      )
      const sockets = [yield* open, yield* open]
      assert.match(yield* speak([], { until: "421" }), /^421/m)
      for (const socket of sockets)
        yield* Effect.promise(() => new Promise<void>((done) => socket.once("close", () => done()).end("QUIT\r\n")))
      assert.match(yield* speak(["QUIT\r\n"]), /^220/m)
    })
  )
})

const failing = SmtpServer.layer({
  ...SmtpServer.defaults,
  host: "127.0.0.1",
  port: 0,
  name: inboxDomain,
  certificate: null,
  closeMillis: 500,
  authentication: { resolver: () => Promise.reject(new Error("No network")), budgetMillis: 3_000 }
}).pipe(
  Layer.provide(
    Layer.effect(
      Receiving,
      Effect.map(Receiving, (whole) => Receiving.of({ ...whole, mail: () => Effect.die("The database is away") }))
    )
  ),
  Layer.provideMerge(receiving)
)

it.layer(Layer.fresh(failing))("a mail that cannot be kept", (it) => {
  it.effect("is not taken: its sender is asked to retry", () =>
    Effect.gen(function* () {
      const address = yield* makeCredential(yield* makeWorkspace(), "robot")
      assert.strictEqual((yield* send(codeMail(address, "482913"))).status, 451)
    })
  )
})
