import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { DefaultPhoneNumber, PhoneNumbers, parse } from "../../../core/vault/otp/PhoneNumbers.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const common = "+15550009999"
const numbers = (number: string | null) =>
  Layer.fresh(PhoneNumbers.layer.pipe(Layer.provideMerge(Memory.layer))).pipe(
    Layer.provide(Layer.succeed(DefaultPhoneNumber, number))
  )

describe("a phone number", () => {
  it.each([
    ["+15551234567", "+15551234567"],
    ["+1 (555) 123-45.67", "+15551234567"],
    ["+49 30 1234567", "+49301234567"],
    ["15551234567", null],
    ["0049 30 1234567", null],
    ["+0301234567", null],
    ["+123456", null],
    ["+1234567890123456", null],
    ["+1555123456x", null],
    ["", null],
    [`+1${" ".repeat(10_000)}5551234567`, null]
  ])("is read as in E.164: %s", (written, expected) => {
    assert.strictEqual(
      Result.getOrElse(parse(written), () => null as string | null),
      expected
    )
  })

  it.effect("of the installation serves the first workspace, also beside others, until it has its own number", () =>
    Effect.gen(function* () {
      const { phoneNumberOf, set, workspaceOf } = yield* PhoneNumbers
      const owner = yield* makeWorkspace("Owner")
      const { workspaceId } = owner
      assert.strictEqual(yield* phoneNumberOf(workspaceId), common)
      assert.deepStrictEqual(yield* workspaceOf(common), Option.some(workspaceId))
      yield* set(owner, "+1 555 123 4567")
      assert.strictEqual(yield* phoneNumberOf(workspaceId), "+15551234567")
      assert.isTrue(Option.isNone(yield* workspaceOf(common)))
      yield* set(owner, null)
      assert.strictEqual(yield* phoneNumberOf(workspaceId), common)
      const other = yield* makeWorkspace()
      assert.strictEqual(yield* phoneNumberOf(workspaceId), common)
      assert.isNull(yield* phoneNumberOf(other.workspaceId))
      assert.deepStrictEqual(yield* workspaceOf(common), Option.some(workspaceId))
    }).pipe(Effect.provide(numbers(common)))
  )

  it.effect("that is another's, or the installation's, is not given away", () =>
    Effect.gen(function* () {
      const { ownNumberOf, set } = yield* PhoneNumbers
      const [one, other] = [yield* makeWorkspace("Owner"), yield* makeWorkspace("Owner")]
      yield* set(one, "+15551234567")
      assert.strictEqual((yield* Effect.flip(set(other, "+1 555 1234567")))._tag, "PhoneNumberTaken")
      assert.strictEqual((yield* Effect.flip(set(other, common)))._tag, "PhoneNumberTaken")
      assert.strictEqual((yield* Effect.flip(set(other, "5551234567")))._tag, "InvalidPhoneNumber")
      assert.isNull(yield* ownNumberOf(other.workspaceId))
    }).pipe(Effect.provide(numbers(common)))
  )
})
