import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, References } from "effect"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { asMember, pair, query } from "../../support/credentials.ts"
import { sealText } from "../../support/sealed.ts"
import { layer } from "../../support/service.ts"

const lines: Array<string> = []

/** Everything that is logged, of whatever level, with all that is attached to it. */
const captured = Layer.merge(
  Logger.layer([
    Logger.make((entry) => void lines.push(`${Logger.formatLogFmt.log(entry)} ${Logger.formatJson.log(entry)}`))
  ]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

it.layer(Layer.fresh(layer).pipe(Layer.provide(captured)))("the log", (it) => {
  it.effect("holds no secret, whether requests are answered, refused, or fail by a mistake of ours", () =>
    Effect.gen(function* () {
      const { ask, me, sealed } = yield* asMember("Owner")
      const cookies = [{ name: "a", value: "canary-cookie" }]
      const secrets = { password: sealed("canary"), tfa_secret: sealed("MNQW4YLSPE"), tfa_method: "AUTHENTICATOR" }
      const made = yield* ask("POST", "/vault", { ...pair, ...secrets, cookies })
      assert.strictEqual(made.status, 201)
      const refused = [
        { ...pair, password: "canary-in-clear", cookies: [{ name: "canary", value: 7 }] },
        { ...pair, password: sealText(me.encryptionKey, "canary-unquoted") },
        { ...pair, tfa_secret: sealed("canary 0189") },
        { ...pair, proxy_setting: "custom", proxy_value: sealed("canary") }
      ]
      for (const body of refused) assert.strictEqual((yield* ask("PUT", "/vault", body)).status, 400)
      const code = String((yield* ask("GET", `/vault/tfa-code${query(pair)}`)).body.code)
      assert.match(code, /^\d{6}$/)

      // Data that was changed behind the service's back.
      const entries = yield* VaultEntries
      const kept = Option.getOrThrow(yield* entries.get(me.caller.workspaceId, String(made.body.id)))
      yield* entries.remove(me.caller.workspaceId, kept.id)
      yield* entries.insert(me.caller.workspaceId, { ...kept, fields: { ...kept.fields, cookies: "canary-changed" } })
      const failed = yield* ask("GET", `/vault${query(pair)}`)
      assert.strictEqual(failed.status, 500)
      assert.notInclude(failed.text, "canary")

      const log = lines.join("\n")
      assert.include(log, "The request GET /vault could not be answered")
      assert.notMatch(log, /canary|MNQW4YLSPE/)
      assert.notInclude(log, me.encryptionKey)
      assert.notInclude(log, code)
    })
  )
})
