/** A sender who is proven, but for a domain of their own: their mail replaces nothing that the site of a credential sent. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { dkimSign } from "mailauth"
import { createTransport } from "nodemailer"
import * as SmtpServer from "../../../adapters/mail/SmtpServer.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { dkimKey, latest, makeCredential, smtp } from "../../support/inbox.ts"

const site = { domain: "https://login.sender.example", senders: ["sender.example"] }
const html = "Content-Type: text/html; charset=utf-8"

interface Mail {
  readonly envelope: string
  readonly headers?: ReadonlyArray<string>
  readonly body: string
}

const rawOf = ({ body, envelope, headers = [] }: Mail): string =>
  [`From: ${envelope}`, "Subject: News", ...headers, "", body, ""].join("\r\n")

const handOver = (to: string, envelope: string, raw: string) =>
  Effect.flatMap(SmtpServer.SmtpServer, ({ port }) =>
    Effect.promise(async () => {
      const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } } as never)
      await transport.sendMail({ envelope: { from: envelope, to }, raw })
      transport.close()
    })
  )

const send = (to: string, mail: Mail) => handOver(to, mail.envelope, rawOf(mail))

/** The mail as `sender.example` signs it, as far as a number of bytes where one is given. */
const signed = (mail: Mail, maxBodyLength?: number) =>
  Effect.promise(async () => {
    const raw = rawOf(mail)
    const key = { signingDomain: "sender.example", selector: "k", privateKey: dkimKey }
    const length = maxBodyLength === undefined ? {} : { maxBodyLength }
    const { signatures } = await dkimSign(raw, { ...key, signatureData: [{ ...key, ...length }] })
    return `${signatures}${raw}`
  })

const code = (value: string) => `Your verification code is ${value}.`
const link = (token: string) => `https://login.sender.example/session?token=${token.repeat(24)}`
const signIn = (token: string) => `<p>Click below to sign in</p><a href="${link(token)}">Sign in</a>`
const uncertain = (token: string) => `<p>Read our news</p><a href="${link(token)}">News</a>`

const real = "site@sender.example"
const forger = "site@other.example"
const nobody = "site@forged.example"

it.layer(Layer.fresh(smtp({})))("a mail of a sender who is proven for a domain of their own", (it) => {
  const credential = Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const address = yield* makeCredential(caller, "robot", site.domain)
    const shown = (kind: "code" | "link") => latest(caller.workspaceId, address, kind, site.senders)
    return { address, shown }
  })

  it.effect("does not replace the code of the site, however late it comes", () =>
    Effect.gen(function* () {
      const { address, shown } = yield* credential
      yield* send(address, { envelope: real, body: code("111222") })
      yield* send(address, { envelope: forger, body: code("666666") })
      yield* send(address, { envelope: nobody, body: code("777777") })
      assert.deepStrictEqual(yield* shown("code"), {
        value: "111222",
        authentication: "spf=pass smtp.mailfrom=sender.example dkim=none"
      })
    })
  )

  it.effect("gives way to the code of the site that comes later, and else wins against an unproven one", () =>
    Effect.gen(function* () {
      const { address, shown } = yield* credential
      yield* send(address, { envelope: forger, body: code("666666") })
      yield* send(address, { envelope: nobody, body: code("777777") })
      assert.strictEqual((yield* shown("code"))?.value, "666666")
      yield* send(address, { envelope: real, body: code("111222") })
      assert.strictEqual((yield* shown("code"))?.value, "111222")
    })
  )

  it.effect("has no part in the links of the site, likely or uncertain", () =>
    Effect.gen(function* () {
      const { address, shown } = yield* credential
      const of = (envelope: string, body: string) => send(address, { envelope, headers: [html], body })
      yield* of(forger, uncertain("f"))
      yield* of(real, uncertain("a"))
      assert.deepStrictEqual((yield* shown("link"))?.value, { uncertain: [link("a")] })
      yield* of(real, uncertain("b"))
      assert.deepStrictEqual((yield* shown("link"))?.value, { uncertain: [link("b"), link("a")] })
      yield* of(forger, signIn("e"))
      yield* of(real, uncertain("c"))
      assert.deepStrictEqual((yield* shown("link"))?.value, { uncertain: [link("c"), link("b"), link("a")] })
      yield* of(real, signIn("d"))
      yield* of(forger, signIn("e"))
      yield* of(real, uncertain("c"))
      assert.deepStrictEqual((yield* shown("link"))?.value, [link("d")])
    })
  )

  it.effect("is not vouched for by a signature that leaves out a part of it", () =>
    Effect.gen(function* () {
      const { address, shown } = yield* credential
      const mail: Mail = { envelope: real, headers: ["Content-Type: text/plain"], body: "Hello" }
      const dkimOf = (raw: string) =>
        Effect.gen(function* () {
          yield* handOver(address, forger, raw)
          return (yield* shown("code"))?.authentication?.replace(/^.*(?=dkim)/, "")
        })
      const whole = yield* signed({ ...mail, body: code("111222") })
      assert.strictEqual(yield* dkimOf(whole), "dkim=pass header.d=sender.example")
      for (const raw of [
        `${yield* signed(mail, "Hello\r\n".length)}${code("666661")}\r\n`,
        `Subject: ${code("666662")}\r\n${yield* signed(mail)}`,
        `From: other@sender.example\r\n${yield* signed({ ...mail, body: code("666663") })}`
      ]) {
        const other = yield* credential
        yield* handOver(other.address, forger, raw)
        assert.strictEqual(
          (yield* other.shown("code"))?.authentication,
          "spf=pass smtp.mailfrom=other.example dkim=policy",
          raw
        )
      }
    })
  )
})
