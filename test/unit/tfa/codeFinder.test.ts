import { assert, describe, it } from "@effect/vitest"
import { bodiesOf } from "../../../adapters/mail/MailParser.ts"
import { codesIn, uncertainCodesIn } from "../../../core/vault/inbox/CodeFinder.ts"
import type { Message } from "../../../core/vault/inbox/ReceivedMessage.ts"
import { type Sample, withCode, withoutCode } from "./samples/Codes.ts"
import { moreWithCode, moreWithoutCode } from "./samples/MoreCodes.ts"

const messageOf = ({ html, subject = "", text }: Sample): Message => ({
  from: "no-reply@acme.example",
  subject,
  bodies: bodiesOf(html, text)
})

describe("the code of a message", () => {
  it.each([...withCode, ...moreWithCode].map((sample) => [sample.name, sample] as const))(
    "is found: %s",
    (_name, sample) => {
      const found = codesIn(messageOf(sample))
      assert.strictEqual(found[0]?.code, sample.code, JSON.stringify(found))
    }
  )

  it.each([...withoutCode, ...moreWithoutCode].map((sample) => [sample.name, sample] as const))(
    "is not made up: %s",
    (_name, sample) => {
      assert.deepStrictEqual(codesIn(messageOf(sample)), [])
    }
  )

  it("is a candidate where nothing says what a number is, and none where it cannot be a code", () => {
    const of = (text: string) => uncertainCodesIn(messageOf({ name: "", text, code: null })).map(({ code }) => code)
    assert.deepStrictEqual(of("The box 918273 is on shelf 4455 now"), ["918273", "4455"])
    assert.deepStrictEqual(of("You paid $918,273.00 on 2026-11-21, call +1 415 555 0100"), [])
    assert.lengthOf(of(Array.from({ length: 20 }, (_, n) => `Part ${700_100 + n * 7} is here`).join("\n")), 5)
  })
})
