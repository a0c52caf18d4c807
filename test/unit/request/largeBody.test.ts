import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { MaxBody } from "../../../apps/api/Annotations.ts"
import { Api } from "../../../apps/api/Api.ts"
import * as LargeBody from "../../../apps/api/http/body/LargeBody.ts"

it("every endpoint that takes a large body decodes the value that was parsed in pieces", () => {
  const seen: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (Context.get(endpoint.annotations, MaxBody) <= MaxBody.defaultValue()) return
      const schemas = [...endpoint.payload.values()].flatMap((payload) => payload.schemas)
      // The payloads of the interface need no services to be decoded.
      const payload = Schema.Union(schemas) as unknown as Schema.Codec<unknown, unknown>
      const decode = (value: unknown) => Schema.decodeUnknownEffect(payload)(value)
      const standIn = decode(JSON.parse(LargeBody.standIn))
      const exit = (value: LargeBody.Parsed) =>
        Effect.runSyncExit(Effect.provideService(standIn, LargeBody.Parsed, value))
      // None of them takes a number, except those that check the whole body in their own code.
      const number = Effect.runSyncExit(decode(7))
      const parsed = exit(Effect.succeed(7))
      assert.strictEqual(Exit.isSuccess(parsed), Exit.isSuccess(number), endpoint.path)
      if (Exit.isSuccess(parsed)) assert.strictEqual(parsed.value, 7)
      const unreadable = exit(Effect.fail(new SyntaxError("Unexpected end")))
      assert.isTrue(Exit.isFailure(unreadable) && String(unreadable.cause).includes("Expected a valid JSON body"))
      seen.push(endpoint.path)
    }
  })
  assert.isAtLeast(seen.length, 8)
})
