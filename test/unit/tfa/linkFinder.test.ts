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

  it("is not one that a reply quotes, nor one that is struck out, and is one that was forwarded", () => {
    const link = (token: string) =>
      `<p>Click the link below to sign in.</p><a href="https://acme.example/login?token=${token}">Sign in</a>`
    const urls = (subject: string, html: string) =>
      linksIn(messageOf({ name: "", subject, html, link: null })).map(({ url }) => url)
    const old = `<blockquote>${link("old0123456789abcdef")}</blockquote>`
    const expected = ["https://acme.example/login?token=new0123456789abcdef"]
    assert.deepStrictEqual(urls("Re: Sign in", `${link("new0123456789abcdef")}${old}`), expected)
    assert.deepStrictEqual(urls("Re: Sign in", `<p>Thanks!</p>${old}`), [])
    assert.deepStrictEqual(
      urls("Sign in", `<s>${link("old0123456789abcdef")}</s>${link("new0123456789abcdef")}`),
      expected
    )
    assert.deepStrictEqual(urls("Fwd: Sign in", old), ["https://acme.example/login?token=old0123456789abcdef"])
  })
})
