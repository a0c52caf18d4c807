/** Copies of requests that brought a message, sent again days later: they bring nothing. */
import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { PublicUrl } from "../../../apps/api/http/Origin.ts"
import { Inbound } from "../../../apps/api/inbound/Inbound.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { forgetting } from "../../../core/vault/inbox/Receiving.ts"
import { unseal } from "../../support/sealed.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import * as SetClock from "../../support/setClock.ts"

const token = "0123456789abcdef0123456789abcdef"
const publicUrl = "https://sluice.example.com"
const path = "/inbound/sms/twilio"
const day = 86_400_000
const clock = SetClock.make()

const service = Layer.fresh(layerInMemory).pipe(
  Layer.provide(
    Layer.mergeAll(
      Layer.succeed(PublicUrl, Option.some(publicUrl)),
      Layer.succeed(Inbound, { secret: null, twilioAuthToken: Redacted.make(token) }),
      clock.layer
    )
  )
)

/** A request of Twilio, with the signature that it never loses. */
const bring = (fields: Readonly<Record<string, string>>) => {
  const text = Object.keys(fields)
    .toSorted()
    .map((name) => `${name}${fields[name]}`)
    .join("")
  const signature = createHmac("sha1", token).update(`${publicUrl}${path}${text}`).digest("base64")
  return Effect.flatMap(Service, ({ send }) =>
    send({
      method: "POST",
      path,
      raw: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature }
    })
  )
}

const message = (to: string, sid: Record<string, string>) => ({
  ...sid,
  From: "+15557654321",
  To: to,
  Body: "Your verification code is 903311"
})

/** Gives the number of a workspace, or none. */
const setNumber = (me: Member, phone_number: string | null) =>
  Effect.flatMap(Service, ({ send }) =>
    send({
      method: "PATCH",
      path: `/workspaces/${me.caller.workspaceId}/settings`,
      key: me.key,
      json: { phone_number }
    })
  )

/** The code of a number that a run would be given. */
const codeOf = Effect.fnUntraced(function* (me: Member, number: string) {
  const found = yield* (yield* ReceivedCodes).latest(me.caller.workspaceId, number, {
    kind: "code",
    since: 0,
    senders: []
  })
  return Option.isNone(found) ? null : unseal(me.encryptionKey, found.value.sealed)
})

/** One round of what removes old codes and messages, at the time of the service. */
const forget = Effect.provide(forgetting.round, clock.layer)

it.layer(service)("a request of Twilio that is sent again", (it) => {
  it.effect.each([
    ["with an id", "+15550102040", { MessageSid: "SM1" }],
    ["with an id under its other name", "+15550102041", { SmsMessageSid: "SM2" }],
    ["without an id", "+15550102042", {}]
  ] as const)("brings its code once in more than a year: %s", ([, number, sid]) =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Owner")
      yield* clock.set(0)
      yield* setNumber(me, number)
      assert.strictEqual((yield* bring(message(number, sid))).status, 200)
      assert.strictEqual(yield* codeOf(me, number), "903311")
      for (const days of [1, 2, 7, 100, 399]) {
        yield* clock.set(days * day)
        yield* forget
        assert.isNull(yield* codeOf(me, number))
        assert.strictEqual((yield* bring(message(number, sid))).status, 200)
        assert.isNull(yield* codeOf(me, number), `after ${days} days`)
      }
      const next = { ...message(number, { MessageSid: `next of ${number}` }), Body: "Your verification code is 118204" }
      yield* bring(next)
      assert.strictEqual(yield* codeOf(me, number), "118204")
    })
  )

  it.effect("brings nothing to a workspace that got the number after the message", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const number = "+15550102043"
      yield* clock.set(0)
      yield* bring(message(number, { MessageSid: "SM3" }))
      const me = yield* member("Owner")
      yield* setNumber(me, number)
      yield* clock.set(3 * day)
      yield* forget
      yield* bring(message(number, { MessageSid: "SM3" }))
      assert.isNull(yield* codeOf(me, number))
    })
  )
})
