import { assert, describe, it } from "@effect/vitest"
import { bodiesOf } from "../../../adapters/mail/MailParser.ts"
import { linksIn } from "../../../core/vault/inbox/LinkFinder.ts"
import type { Message } from "../../../core/vault/inbox/ReceivedMessage.ts"
import { type Sample, withLink, withoutLink } from "./samples/Links.ts"

const messageOf = ({ html, subject = "", text }: Sample): Message => ({
  from: "no-reply@acme.example",
  subject,
  bodies: bodiesOf(html, text)
})

describe("the link of a message", () => {
  it.each(withLink.map((sample) => [sample.name, sample] as const))("is found: %s", (_name, sample) => {
    const found = linksIn(messageOf(sample))
    assert.strictEqual(found[0]?.url, sample.link, JSON.stringify(found))
    for (const { url } of found) assert.notMatch(url, /unsubscribe|privacy|terms|twitter/)
  })

  it.each(withoutLink.map((sample) => [sample.name, sample] as const))("is not made up: %s", (_name, sample) => {
    assert.deepStrictEqual(linksIn(messageOf(sample)), [])
  })

  it("is one of several, the likeliest first, and never more than ten", () => {
    const links = Array.from(
      { length: 40 },
      (_, number) => `<a href="https://acme.example/login?token=${number}">Sign in</a>`
    )
    const found = linksIn(
      messageOf({ name: "", subject: "Sign in", html: `<p>Click the link below</p>${links.join("")}`, link: null })
    )
    assert.lengthOf(found, 10)
    assert.strictEqual(found[0]?.url, "https://acme.example/login?token=0")
  })
})
