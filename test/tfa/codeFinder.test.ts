import { assert, describe, it } from "@effect/vitest"
import { bodiesOf } from "../../adapters/mail/MailParser.ts"
import { codesIn } from "../../core/vault/inbox/CodeFinder.ts"
import type { Message } from "../../core/vault/inbox/ReceivedMessage.ts"
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
})
