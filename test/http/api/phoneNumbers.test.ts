import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DefaultPhoneNumber } from "../../../core/vault/otp/PhoneNumbers.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"

const service = Layer.fresh(layerInMemory).pipe(Layer.provide(Layer.succeed(DefaultPhoneNumber, "+15550009999")))

const settings = ({ caller, key }: Member, json: unknown, method = "PATCH") =>
  Effect.flatMap(Service, ({ send }) =>
    send({ method, path: `/workspaces/${caller.workspaceId}/settings`, key, ...(method === "GET" ? {} : { json }) })
  )

const credential = ({ key }: Member, tfa_method: string) =>
  Effect.flatMap(Service, ({ send }) =>
    send({
      method: "POST",
      path: "/vault",
      key,
      json: { permissioned_user_id: tfa_method, domain: "https://app.example.com", tfa_method }
    })
  )

it.layer(service)("the phone number of a workspace", (it) => {
  it.effect("is the default one for the first, also when there are several, and none for others until one is set", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Owner")
      assert.strictEqual((yield* credential(me, "SMS")).body.tfa_phone_number, "+15550009999")
      assert.isUndefined((yield* credential(me, "EMAIL")).body.tfa_phone_number)
      const other = yield* member("Owner")
      const shown = () =>
        Effect.map(
          send({
            method: "GET",
            path: "/vault?permissioned_user_id=SMS&domain=https%3A%2F%2Fapp.example.com",
            key: me.key
          }),
          ({ text }) => JSON.parse(text) as unknown
        )
      assert.include(JSON.stringify(yield* shown()), '"tfa_phone_number":"+15550009999"')
      assert.isUndefined((yield* credential(other, "SMS")).body.tfa_phone_number)
      assert.isNull((yield* settings(me, null, "GET")).body.phone_number)

      const set = yield* settings(me, { phone_number: "+1 (555) 123-4567", name: "Mine" })
      assert.deepInclude(set.body, { phone_number: "+15551234567", name: "Mine" })
      assert.include(JSON.stringify(yield* shown()), '"tfa_phone_number":"+15551234567"')
      const taken = yield* settings(other, { phone_number: "+15551234567", name: "Theirs" })
      assert.strictEqual(taken.status, 409)
      const wrong = yield* settings(other, { phone_number: "0301234567", name: "Theirs" })
      assert.strictEqual(wrong.status, 400)
      assert.deepInclude(wrong.body, { code: "VALIDATION_FAILED" })
      assert.deepInclude((yield* settings(other, null, "GET")).body, { phone_number: null, name: "Test" })
      const named = yield* settings(me, { name: "Still" })
      assert.deepInclude(named.body, { phone_number: "+15551234567", name: "Still" })
      const viewer = yield* member("Member", me)
      assert.strictEqual((yield* settings(viewer, { phone_number: null })).status, 403)
      assert.strictEqual((yield* settings(me, { phone_number: null })).body.phone_number, null)
      assert.strictEqual((yield* settings(other, { phone_number: "+15551234567" })).status, 200)
    })
  )
})
