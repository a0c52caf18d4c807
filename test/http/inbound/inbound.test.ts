import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { AwsFetch } from "../../../adapters/http/AwsFetch.ts"
import { PublicUrl } from "../../../apps/api/http/Origin.ts"
import { Inbound } from "../../../apps/api/inbound/Inbound.ts"
import * as Sns from "../../../apps/api/inbound/Sns.ts"
import { addressOf, InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { type ReceivedCode, ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { DefaultPhoneNumber } from "../../../core/vault/otp/PhoneNumbers.ts"
import { certificateOf } from "../../support/rsaCertificate.ts"
import { unseal } from "../../support/sealed.ts"
import { layerInMemory, type Member, type Request, Service } from "../../support/service.ts"
import * as SetClock from "../../support/setClock.ts"

const secret = "an inbound secret/of 32 letters".replaceAll(" ", "-")
const twilioAuthToken = "0123456789abcdef0123456789abcdef"
const clock = SetClock.make()
const now = Date.parse("2026-11-21T10:00:00Z")

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const other = generateKeyPairSync("rsa", { modulusLength: 2048 })
const certificateUrl = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"
const certificate = certificateOf("sns.amazonaws.com", publicKey, privateKey, now)
const fetched: Array<string> = []
const fetch: AwsFetch = (url) =>
  Effect.suspend(() => {
    fetched.push(url.href)
    return url.href === certificateUrl ? Effect.succeed(certificate) : Effect.succeed("<ok/>")
  })

const service = (settings: Partial<{ secret: string; twilioAuthToken: string }>) =>
  Layer.fresh(layerInMemory).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(InboxDomain, "inbox.example"),
        Layer.succeed(DefaultPhoneNumber, "+15550009999"),
        Layer.succeed(PublicUrl, Option.some("https://sluice.example.com")),
        Layer.succeed(AwsFetch, fetch),
        Layer.succeed(Inbound, {
          secret: settings.secret === undefined ? null : Redacted.make(settings.secret),
          twilioAuthToken: settings.twilioAuthToken === undefined ? null : Redacted.make(settings.twilioAuthToken)
        }),
        clock.layer
      )
    )
  )

const domain = "https://app.example.com"
const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`any:${password}`).toString("base64")}` })
const trusted = basic(secret)

/** A member with a credential, and the address of its codes. */
const withCredential = Effect.fnUntraced(function* (user: string) {
  const { member, send } = yield* Service
  const me = yield* member("Owner")
  yield* send({
    method: "POST",
    path: "/vault",
    key: me.key,
    json: { permissioned_user_id: user, domain, tfa_method: "EMAIL" }
  })
  return { me, address: addressOf(me.caller.workspaceId, { permissionedUserId: user, domain }, "inbox.example") }
})

const latest = Effect.fnUntraced(function* (me: Member, address: string, kind: ReceivedCode["kind"] = "code") {
  const { workspaceId } = me.caller
  const found = yield* (yield* ReceivedCodes).latest(workspaceId, address, { kind, since: 0, senders: [] })
  return Option.isNone(found) ? null : unseal(me.encryptionKey, found.value.sealed)
})

const post = (path: string, request: Partial<Request>) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "POST", path, ...request }))

const signed = (body: string, at = now, key = secret) => {
  const timestamp = String(Math.floor(at / 1_000))
  return {
    "x-sluice-timestamp": timestamp,
    "x-sluice-signature": createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex"),
    "content-type": "application/json"
  }
}

const paths = ["/inbound/mail", "/inbound/mail/postmark", "/inbound/mail/ses", "/inbound/sms"]

it.layer(service({}))("what is brought without a secret of the installation", (it) => {
  it.effect.each([...paths, "/inbound/sms/twilio"])("has no address: %s", (path) =>
    Effect.gen(function* () {
      const unset = yield* post(path, { json: {}, headers: trusted })
      assert.strictEqual(unset.status, 404)
      const unknown = yield* post("/inbound/other", { json: {}, headers: trusted })
      assert.deepStrictEqual({ ...unset.body, message: "" }, { ...unknown.body, message: "" })
    })
  )
})

it.layer(service({ secret, twilioAuthToken }))("what is brought over HTTP", (it) => {
  it.effect.each(paths)("needs the secret: %s", (path) =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const before = yield* dump
      const body = JSON.stringify({ to: "a@inbox.example", text: "Your code is 482913" })
      for (const headers of [
        {},
        basic("wrong"),
        basic(""),
        { authorization: "Basic" },
        { authorization: "Basic ???" },
        { authorization: "Bearer wrong" },
        { authorization: `Bearer ${secret}x` },
        signed(body, now, "wrong"),
        { ...signed(body), "x-sluice-signature": "" },
        { ...signed(body), "x-sluice-timestamp": "soon" },
        signed(`${body} `)
      ]) {
        yield* clock.set(now)
        const answer = yield* post(path, { raw: body, headers: { "content-type": "application/json", ...headers } })
        assert.strictEqual(answer.status, 401, JSON.stringify(headers))
        assert.notInclude(answer.text, secret)
      }
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("may be a mail as it travels, for the recipient that its headers or the address name", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { address, me } = yield* withCredential("raw")
      const raw = (code: string, to: string) =>
        `From: a@b.example\r\nTo: ${to}\r\nSubject: Sign in\r\n\r\nYour verification code is ${code}\r\n`
      const headers = { ...trusted, "content-type": "message/rfc822" }
      const one = yield* post("/inbound/mail", { raw: raw("482913", `Robot <${address}>`), headers })
      assert.deepStrictEqual([one.status, one.body], [200, { recipients: 1, kept: 1, repeated: false }])
      assert.strictEqual(yield* latest(me, address), "482913")
      const again = yield* post("/inbound/mail", { raw: raw("482913", `Robot <${address}>`), headers })
      assert.deepStrictEqual(again.body, { recipients: 1, kept: 0, repeated: true })
      const named = yield* post(`/inbound/mail?to=${encodeURIComponent(address)}`, {
        raw: raw("771204", "list@b.example"),
        headers
      })
      assert.deepStrictEqual(named.body, { recipients: 1, kept: 1, repeated: false })
      assert.strictEqual(yield* latest(me, address), "771204")
      const stranger = yield* post("/inbound/mail", { raw: raw("482913", "x@inbox.example"), headers })
      assert.deepStrictEqual([stranger.status, stranger.body], [200, { recipients: 0, kept: 0, repeated: false }])
    })
  )

  it.effect("is kept for each recipient, where mails without a Message-ID have the same text", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const [one, two] = [yield* withCredential("same-one"), yield* withCredential("same-two")]
      const headers = { ...trusted, "content-type": "message/rfc822" }
      const bring = (to: string) =>
        post("/inbound/mail", {
          raw: `From: a@b.example\r\nTo: ${to}\r\nSubject: Sign in\r\n\r\nYour verification code is 482914\r\n`,
          headers
        })
      assert.deepInclude((yield* bring(one.address)).body, { kept: 1, repeated: false })
      assert.deepInclude((yield* bring(two.address)).body, { kept: 1, repeated: false })
      assert.strictEqual(yield* latest(two.me, two.address), "482914")
      assert.deepInclude((yield* bring(one.address.toUpperCase())).body, { kept: 0, repeated: true })
      // One that some of its recipients got already is kept for the others.
      const three = yield* withCredential("same-three")
      const both = yield* bring(`${one.address}, ${three.address}`)
      assert.deepStrictEqual(both.body, { recipients: 2, kept: 1, repeated: false })
    })
  )

  it.effect("is kept as uncertain where none of its links is likely, and hides no likely one", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { address, me } = yield* withCredential("uncertain")
      const bring = (id: string, text: string, subject = "Hello") =>
        post("/inbound/mail", { json: { to: address, subject, text, id }, headers: trusted })
      assert.strictEqual((yield* bring("u1", "Open https://acme.example/g/1")).body.kept, 1)
      assert.strictEqual((yield* bring("u2", "Open https://acme.example/g/2")).body.kept, 1)
      const both = ["https://acme.example/g/2", "https://acme.example/g/1"]
      assert.deepStrictEqual(yield* latest(me, address, "link"), { uncertain: both })
      assert.isNull(yield* latest(me, address))
      const likely = "https://acme.example/login?token=abcdef0123456789abcdef"
      yield* bring("u3", `Click the link to sign in: ${likely}`, "Sign in")
      assert.strictEqual((yield* bring("u4", "Read https://acme.example/news")).body.kept, 0)
      assert.deepStrictEqual(yield* latest(me, address, "link"), [likely])
      assert.strictEqual((yield* bring("u5", "No link at all")).body.kept, 0)
    })
  )

  it.effect("is kept for a person where it has only what may be a code, and for no login", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { send } = yield* Service
      const { address, me } = yield* withCredential("doubtful")
      const bring = (text: string) =>
        Effect.map(post("/inbound/mail", { json: { to: address, subject: "Hello", text }, headers: trusted }), (one) =>
          Number(one.body.kept)
        )
      const ask = (query: Record<string, string>) =>
        send({
          method: "GET",
          path: `/vault/tfa-code?${new URLSearchParams({ permissioned_user_id: "doubtful", domain, ...query })}`,
          key: me.key
        })
      assert.strictEqual(yield* bring("Nothing to read here"), 0)
      assert.notInclude((yield* ask({})).text, "uncertain")
      assert.strictEqual(yield* bring("The box 918273 is on shelf 4455 now, on the left"), 1)
      assert.isNull(yield* latest(me, address))
      const [plain, asked] = [yield* ask({}), yield* ask({ uncertain: "true" })]
      assert.deepStrictEqual([plain.status, asked.status], [404, 200])
      assert.include(plain.text, "uncertain=true")
      assert.notInclude(plain.text, "918273")
      const candidates = ["918273", "4455"]
      const received_at = new Date(now).toISOString()
      assert.deepStrictEqual(asked.body, { type: "email", code: "918273", received_at, candidates })
      assert.strictEqual(asked.headers.get("cache-control"), "no-store")
      assert.strictEqual(yield* bring("Your verification code is 771204"), 1)
      assert.deepStrictEqual((yield* ask({ uncertain: "true" })).body, { type: "email", code: "771204", received_at })
    })
  )

  it.effect("may be a mail as JSON, by a bearer token or signed, and once by its id", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { address, me } = yield* withCredential("json")
      const json = {
        from: "a@b.example",
        to: [address],
        subject: "Hello",
        html: "<p>Your login code:</p><b>904112</b>",
        id: "7"
      }
      const bearer = { authorization: `Bearer ${secret}` }
      assert.strictEqual((yield* post("/inbound/mail", { json, headers: bearer })).body.kept, 1)
      assert.strictEqual(yield* latest(me, address), "904112")
      assert.deepInclude((yield* post("/inbound/mail", { json, headers: bearer })).body, { kept: 0, repeated: true })
      const body = JSON.stringify({ ...json, html: "<p>Your login code:</p><b>551177</b>", id: null })
      assert.strictEqual((yield* post("/inbound/mail", { raw: body, headers: signed(body) })).body.kept, 1)
      assert.deepInclude((yield* post("/inbound/mail", { raw: body, headers: signed(body) })).body, {
        kept: 0,
        repeated: true
      })
      const upper = { ...signed(body), "x-sluice-signature": signed(body)["x-sluice-signature"].toUpperCase() }
      assert.deepInclude((yield* post("/inbound/mail", { raw: body, headers: upper })).body, {
        kept: 0,
        repeated: true
      })
      const stale = yield* post("/inbound/mail", { raw: body, headers: signed(body, now - 301_000) })
      assert.strictEqual(stale.status, 409)
    })
  )

  it.effect("is refused with a reason where it is no mail or SMS, and is never too large to refuse", () =>
    Effect.gen(function* () {
      const headers = { ...trusted, "content-type": "application/json" }
      for (const path of paths) {
        for (const raw of ["", "{", "[]", "null", "7", '{"to":7}', '{"to":{"a":[]}}', "[".repeat(50_000)]) {
          const answer = yield* post(path, { raw, headers })
          assert.strictEqual(answer.status, 400, `${path} ${raw.slice(0, 20)}`)
          assert.isString(answer.body.message)
        }
      }
      assert.strictEqual((yield* post("/inbound/sms", { raw: "x".repeat(70_000), headers })).status, 413)
      assert.strictEqual((yield* post("/inbound/mail", { raw: "x".repeat(16_000_000), headers })).status, 413)
    })
  )

  it.effect("may come from Postmark", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { address, me } = yield* withCredential("postmark")
      const json = {
        FromName: "Site",
        MessageStream: "inbound",
        From: "site@b.example",
        FromFull: { Email: "site@b.example", Name: "Site", MailboxHash: "" },
        To: `<${address}>`,
        ToFull: [{ Email: address, Name: "", MailboxHash: "robot" }],
        Cc: "",
        CcFull: [],
        OriginalRecipient: address,
        Subject: "Your verification code",
        MessageID: "73e6d360-66eb-11e1-8e72-a8904824019b",
        Date: "Sat, 21 Nov 2026 10:00:00 +0000",
        TextBody: "Your verification code is 660412",
        HtmlBody: "<p>Your verification code is <b>660412</b></p>",
        Tag: "",
        Headers: [
          {
            Name: "Received-SPF",
            Value:
              "Pass (sender SPF authorized) identity=mailfrom; helo=m.b.example; envelope-from=bounce+1@b.example; receiver=x"
          }
        ],
        Attachments: []
      }
      assert.strictEqual((yield* post("/inbound/mail/postmark", { json, headers: trusted })).body.kept, 1)
      assert.strictEqual(yield* latest(me, address), "660412")
      const kept = yield* (yield* ReceivedCodes).take(me.caller.workspaceId, address, {
        kind: "code",
        since: 0,
        senders: []
      })
      assert.strictEqual(Option.getOrThrow(kept).authentication, "spf=pass smtp.mailfrom=b.example")
      const again = yield* post("/inbound/mail/postmark", { json, headers: trusted })
      assert.deepStrictEqual([again.status, again.body], [200, { recipients: 1, kept: 0, repeated: true }])
      assert.isNull(yield* latest(me, address))
    })
  )

  it.effect("names the domain of the sender only where the header of Postmark names one", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      for (const [index, [value, authentication]] of [
        ["Fail (x) identity=mailfrom; envelope-from=a@b.example", "spf=fail"],
        ["Pass (x) identity=mailfrom; helo=m;envelope-from=a@b.example; envelope-from=a@c.example", "spf=pass"],
        ['Pass (x) identity=mailfrom; envelope-from="a@b.example; "@c.example', "spf=pass"],
        ["Pass (x) identity=helo; helo=m.b.example; envelope-from=<>", "spf=pass"]
      ].entries()) {
        const { address, me } = yield* withCredential(`postmark${index}`)
        const json = {
          OriginalRecipient: address,
          MessageID: `m${index}`,
          TextBody: "Your verification code is 660412",
          Headers: [{ Name: "Received-SPF", Value: value }]
        }
        assert.strictEqual((yield* post("/inbound/mail/postmark", { json, headers: trusted })).body.kept, 1)
        const query = { kind: "code", since: 0, senders: [] } as const
        const kept = yield* (yield* ReceivedCodes).latest(me.caller.workspaceId, address, query)
        assert.strictEqual(Option.getOrThrow(kept).authentication, authentication, value)
      }
    })
  )

  const notice = (fields: object, key: KeyObject = privateKey, version: "1" | "2" = "2"): Sns.Notice => {
    const unsigned = {
      Type: "Notification",
      MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
      TopicArn: "arn:aws:sns:eu-central-1:123456789012:mail",
      Message: "{}",
      Timestamp: new Date(now).toISOString(),
      SignatureVersion: version,
      Signature: "",
      SigningCertURL: certificateUrl,
      ...fields
    } as Sns.Notice
    const sign = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(Sns.signedText(unsigned))
    return { ...unsigned, Signature: sign.sign(key, "base64") }
  }

  const sent = (json: object, headers: Record<string, string> = trusted) =>
    post("/inbound/mail/ses", {
      raw: JSON.stringify(json),
      headers: { ...headers, "content-type": "text/plain; charset=UTF-8" }
    })

  it.effect("may come from Amazon SES, whose signature is checked", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { address, me } = yield* withCredential("ses")
      const raw = "From: a@b.example\r\nTo: list@b.example\r\nSubject: Code\r\n\r\nYour verification code is 771093\r\n"
      const message = (messageId: string, content: string, encoding = "UTF-8") =>
        JSON.stringify({
          notificationType: "Received",
          mail: { messageId, source: "bounce@mail.b.example", destination: [address] },
          receipt: {
            recipients: [address],
            spfVerdict: { status: "PASS" },
            dkimVerdict: { status: "PASS" },
            dmarcVerdict: { status: "PASS" },
            action: { type: "SNS", encoding }
          },
          content
        })
      const one = yield* sent(notice({ Message: message("m1", raw), Subject: "Amazon SES" }))
      assert.deepStrictEqual([one.status, one.body], [200, { recipients: 1, kept: 1, repeated: false }])
      assert.strictEqual(yield* latest(me, address), "771093")
      const verdict = Effect.map(
        Effect.flatMap(ReceivedCodes, (codes) =>
          codes.latest(me.caller.workspaceId, address, { kind: "code", since: 0, senders: [] })
        ),
        (found) => Option.getOrThrow(found).authentication
      )
      const proven = "spf=pass smtp.mailfrom=b.example dkim=pass"
      assert.strictEqual(yield* verdict, `${proven} header.d=b.example`)
      // Of two senders, the one that was checked may be the other.
      yield* sent(notice({ Message: message("m0", `From: c@d.example\r\n${raw}`) }))
      assert.strictEqual(yield* verdict, proven)
      const again = yield* sent(notice({ Message: message("m1", raw) }))
      assert.deepStrictEqual(again.body, { recipients: 1, kept: 0, repeated: true })
      const base64 = Buffer.from(raw.replace("771093", "440221")).toString("base64")
      assert.strictEqual(
        (yield* sent(notice({ Message: message("m2", base64, "BASE64") }, privateKey, "1"))).body.kept,
        1
      )
      assert.strictEqual(yield* latest(me, address), "440221")

      const forged = notice({ Message: message("m3", raw) }, other.privateKey)
      const altered = { ...notice({ Message: message("m3", raw) }), Message: message("m4", raw) }
      const elsewhere = [
        "http://sns.eu-central-1.amazonaws.com/a.pem",
        "https://evil.example/a.pem",
        "https://sns.amazonaws.com.evil.example/a.pem",
        "https://s3.amazonaws.com/evil/a.pem",
        "https://sns.us-east-1.amazonaws.com:8443/a.pem",
        "https://a:b@sns.us-east-1.amazonaws.com/a.pem",
        "no address"
      ]
      fetched.length = 0
      for (const bad of [
        forged,
        altered,
        ...elsewhere.map((SigningCertURL) => notice({ Message: message("m3", raw), SigningCertURL }))
      ]) {
        assert.strictEqual((yield* sent(bad)).status, 403)
      }
      assert.deepStrictEqual(fetched, [])
      assert.strictEqual((yield* sent(notice({ Message: message("m3", raw) }), {})).status, 401)
      const stale = notice({ Message: message("m3", raw), Timestamp: new Date(now - 3_700_000).toISOString() })
      assert.strictEqual((yield* sent(stale)).status, 409)
      assert.strictEqual(yield* latest(me, address), "440221")
    })
  )

  it.effect("subscribes to Amazon SNS at its own address only", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      fetched.length = 0
      const confirmation = (SubscribeURL: string) =>
        notice({ Type: "SubscriptionConfirmation", Token: "t", Message: "You have chosen", SubscribeURL })
      const url = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t"
      assert.strictEqual((yield* sent(confirmation(url))).status, 200)
      assert.include(fetched, url)
      fetched.length = 0
      assert.strictEqual((yield* sent(confirmation("https://evil.example/"))).status, 403)
      assert.strictEqual((yield* sent(confirmation("http://127.0.0.1/"))).status, 403)
      assert.deepStrictEqual(fetched, [])
    })
  )

  it.effect("may be an SMS, for the workspace whose number it was sent to", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { me } = yield* withCredential("sms")
      const { send } = yield* Service
      const path = `/workspaces/${me.caller.workspaceId}/settings`
      const set = yield* send({ method: "PATCH", path, key: me.key, json: { phone_number: "+1 (555) 010-2030" } })
      assert.strictEqual(set.body.phone_number, "+15550102030")
      const sms = {
        from: "+15557654321",
        to: "+1 555 010 2030",
        text: "Your Acme code is 747723\n\n@acme.example #747723",
        id: "s1"
      }
      assert.strictEqual((yield* post("/inbound/sms", { json: sms, headers: trusted })).body.kept, 1)
      assert.strictEqual(yield* latest(me, "+15550102030"), "747723")
      assert.deepInclude((yield* post("/inbound/sms", { json: sms, headers: trusted })).body, { repeated: true })
      const nobody = yield* post("/inbound/sms", { json: { ...sms, to: "+15550000000" }, headers: trusted })
      assert.deepInclude(nobody.body, { recipients: 0, kept: 0 })
      // The first workspace has the installation's number, and others do not share it.
      const common = yield* post("/inbound/sms", { json: { ...sms, to: "+15550009999" }, headers: trusted })
      assert.deepInclude(common.body, { recipients: 1, kept: 1 })
      assert.isNull(yield* latest(me, "+15550009999"))
    })
  )

  it.effect("may be an SMS of Twilio, whose signature is checked", () =>
    Effect.gen(function* () {
      yield* clock.set(now)
      const { me } = yield* withCredential("twilio")
      const { send } = yield* Service
      const path = `/workspaces/${me.caller.workspaceId}/settings`
      yield* send({ method: "PATCH", path, key: me.key, json: { phone_number: "+15550102040" } })
      const fields = {
        ToCountry: "US",
        MessageSid: "SM1",
        From: "+15557654321",
        To: "+15550102040",
        Body: "Your verification code is 903311 & more",
        NumMedia: "0"
      }
      // As Twilio describes it: the address, then each name and value in the order of the names.
      const text = `https://sluice.example.com/inbound/sms/twilio?a=1${Object.keys(fields)
        .sort()
        .map((name) => name + fields[name as keyof typeof fields])
        .join("")}`
      const signature = createHmac("sha1", twilioAuthToken).update(text).digest("base64")
      const bring = (signature: string, query = "?a=1", body: Record<string, string> = fields) =>
        post(`/inbound/sms/twilio${query}`, {
          raw: new URLSearchParams(body).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature }
        })
      assert.strictEqual((yield* bring("")).status, 403)
      assert.strictEqual((yield* bring(signature, "")).status, 403)
      assert.strictEqual(
        (yield* bring(signature, "?a=1", { ...fields, Body: "Your verification code is 111111" })).status,
        403
      )
      assert.isNull(yield* latest(me, "+15550102040"))
      const answer = yield* bring(signature)
      assert.deepStrictEqual([answer.status, answer.text], [200, "<Response/>"])
      assert.include(answer.headers.get("content-type") ?? "", "xml")
      assert.strictEqual(yield* latest(me, "+15550102040"), "903311")
      yield* (yield* ReceivedCodes).take(me.caller.workspaceId, "+15550102040", { kind: "code", since: 0, senders: [] })
      assert.strictEqual((yield* bring(signature)).status, 200)
      assert.isNull(yield* latest(me, "+15550102040"))
    })
  )
})
