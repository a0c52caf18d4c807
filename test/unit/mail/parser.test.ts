import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { htmlBody } from "../../../adapters/mail/HtmlText.ts"
import * as MailParser from "../../../adapters/mail/MailParser.ts"
import { codesIn } from "../../../core/vault/inbox/CodeFinder.ts"
import { linksIn } from "../../../core/vault/inbox/LinkFinder.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What reading a mail may cost, in fixed works. */
const most = 60

const parse = (raw: string) => Effect.promise(() => MailParser.parse(Buffer.from(raw, "latin1")))

const mail = (headers: ReadonlyArray<string>, body: string) => `${headers.join("\r\n")}\r\n\r\n${body}`
const html = (body: string, headers: ReadonlyArray<string> = []) =>
  mail(
    ["From: a@b.example", "Subject: Hello", "MIME-Version: 1.0", "Content-Type: text/html; charset=utf-8", ...headers],
    body
  )

const read = (raw: string) =>
  Effect.map(parse(raw), (read) => ({
    ...read,
    codes: codesIn(read.message).map(({ code }) => code),
    links: linksIn(read.message)
  }))

describe("a mail", () => {
  it.effect("is read in the encodings and character sets that mails come in", () =>
    Effect.gen(function* () {
      const koi8 = mail(
        [
          "From: a@b.example",
          "Subject: =?koi8-r?B?68/EIMTM0SDXyM/EwQ==?=",
          "Content-Type: text/plain; charset=koi8-r",
          "Content-Transfer-Encoding: base64"
        ],
        Buffer.from([
          0xeb,
          0xcf,
          0xc4,
          0x20,
          0xc4,
          0xcc,
          0xd1,
          0x20,
          0xd7,
          0xc8,
          0xcf,
          0xc4,
          0xc1,
          ...Buffer.from(": 774512")
        ]).toString("base64")
      )
      assert.deepInclude(yield* read(koi8), { codes: ["774512"] })
      const quoted = mail(
        [
          "From: a@b.example",
          "Subject: x",
          "Content-Type: text/plain; charset=iso-8859-1",
          "Content-Transfer-Encoding: quoted-printable"
        ],
        "Ihr Best=E4tigungscode lautet: 90=\r\n4112"
      )
      assert.deepInclude(yield* read(quoted), { codes: ["904112"] })
      const unknown = mail(
        ["From: a@b.example", "Content-Type: text/plain; charset=no-such-set"],
        "Your verification code is 482913"
      )
      assert.deepInclude(yield* read(unknown), { codes: ["482913"] })
    })
  )

  it.effect("names its recipients and its delivery address, and is recognised again", () =>
    Effect.gen(function* () {
      const lines = [
        "From: A <a@b.example>",
        "To: X <X@Inbox.example>, y@inbox.example",
        "Delivered-To: z@inbox.example",
        "Message-ID: <1@b>"
      ]
      const one = yield* parse(mail(lines, "text"))
      assert.deepStrictEqual(one.recipients, ["x@inbox.example", "y@inbox.example", "z@inbox.example"])
      assert.strictEqual(one.id, (yield* parse(mail(["Received: from there", ...lines], "text"))).id)
      assert.notStrictEqual(one.id, (yield* parse(mail(lines, "another"))).id)
    })
  )

  it.effect("shows what people see, and nothing that runs", () =>
    Effect.gen(function* () {
      const tricky =
        html(`<!-- your verification code is 111111 --><script>var code = "Your verification code is 222222"</script>
        <style>.x::after{content:"Your verification code is 333333"}</style><template>Your verification code is 444444</template>
        <p>Your verification code is</p><p><b>555555</b></p>
        <p style="color:#fff;font-size:0">Your verification code is 666666</p><p hidden>Your verification code is 777777</p>
        <svg><text>Your verification code is 888888</text></svg>`)
      assert.deepInclude(yield* read(tricky), { codes: ["555555"] })
    })
  )

  it("shows the values of its fields and what is said instead of its pictures, and sets off what it quotes", () => {
    const lines = (html: string) => htmlBody(html).lines
    const of = (html: string) => lines(html).map(({ text }) => text.trim())
    assert.deepStrictEqual(of('<p>Code <input value="4821"></p><input type="hidden" value="1111">'), ["Code  4821"])
    assert.deepStrictEqual(of('<p><img alt="4821"><img alt="Acme"><img alt="1111" width="1" height="1"></p>'), ["4821"])
    assert.deepStrictEqual(of("<p><s>1111</s> <del>2222</del> 4821</p>"), ["4821"])
    assert.deepStrictEqual(
      lines('<p>new</p><blockquote><p>old</p></blockquote><div class="gmail_quote">older</div><p>end</p>').map(
        ({ quoted = false, text }) => [text, quoted]
      ),
      [
        ["new", false],
        ["old", true],
        ["older", true],
        ["end", false]
      ]
    )
  })

  it.effect("that was forwarded as an attachment of a mail type is read as well", () =>
    Effect.gen(function* () {
      const inner = mail(
        ["From: site@b.example", "Subject: Your code", "Content-Type: text/plain"],
        "Your verification code is 482913"
      )
      const outer = mail(
        ["From: robin@b.example", "Subject: Fwd", "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="b"'],
        `--b\r\nContent-Type: text/plain\r\n\r\nsee below\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--`
      )
      assert.deepInclude(yield* read(outer), { codes: ["482913"] })
    })
  )
})

const nested = (depth: number): string => {
  let body = "Content-Type: text/plain\r\n\r\nYour verification code is 482913\r\n"
  for (let level = 0; level < depth; level++) {
    body = `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n${body}\r\n--b${level}--\r\n`
  }
  return `From: a@b.example\r\n${body}`
}

/** Mails that are made to cost more than a mail should. */
const hostile: ReadonlyArray<readonly [name: string, raw: () => string]> = [
  ["parts within parts", () => nested(2_000)],
  [
    "thousands of parts",
    () =>
      mail(
        ["From: a@b.example", 'Content-Type: multipart/mixed; boundary="b"'],
        "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n".repeat(10_000)
      )
  ],
  [
    "a flood of headers",
    () =>
      mail(
        Array.from({ length: 200_000 }, (_, number) => `X-H${number}: y`),
        "text"
      )
  ],
  ["one endless header", () => mail([`Subject: ${"=?utf-8?Q?a?= ".repeat(100_000)}`], "text")],
  ["a header of addresses", () => mail([`To: ${"a <a@b.example>, ".repeat(20_000)}`], "text")],
  ["groups within addresses", () => mail([`To: ${"g: ".repeat(20_000)}${"(".repeat(20_000)}`], "text")],
  [
    "a boundary without end",
    () =>
      mail(
        ["From: a@b.example", 'Content-Type: multipart/mixed; boundary="b"'],
        `--b\r\nContent-Type: text/plain\r\n\r\n${"x".repeat(400_000)}`
      )
  ],
  [
    "much base64",
    () =>
      mail(
        ["From: a@b.example", "Content-Type: text/plain", "Content-Transfer-Encoding: base64"],
        "A".repeat(5_000_000)
      )
  ],
  [
    "broken base64 and quoted printable",
    () => mail(["Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable"], "=".repeat(400_000))
  ],
  ["tables 10,000 deep", () => html(`${"<table><tr><td>".repeat(10_000)}4821`)],
  ["spans 100,000 deep", () => html(`${"<span>".repeat(80_000)}4821`)],
  ["unclosed comments and tags", () => html("<!--".repeat(50_000) + "<a <b <c ".repeat(20_000))],
  ["many links", () => html('<a href="https://a.example/login?token=1">Sign in</a>'.repeat(9_000))],
  ["attributes without end", () => html(`<p ${"style=display:none ".repeat(20_000)}>4821</p>`)],
  ["entities", () => html("&nbsp;&#847;&zwnj;".repeat(25_000))],
  ["many numbers", () => html("<p>verification code 482913 or 111111</p>".repeat(12_000))],
  ["one line of numbers", () => html(`<p>${"482913 ".repeat(60_000)}</p>`)],
  ["one line of dashes and digits", () => html(`<p>${"1-".repeat(200_000)}</p>`)],
  ["one line of code words", () => html(`<p>${"verification code ".repeat(25_000)}</p>`)],
  ["spaced digits", () => html(`<p>${"1 ".repeat(200_000)}</p>`)],
  ["marks of direction", () => html(`<p>${"\u00e2\u0080\u008f".repeat(150_000)}</p>`)],
  ["no bytes of a mail", () => "\0\xff\xfe".repeat(150_000)]
]

describe("a mail that is made to cost much", () => {
  it.effect.each(hostile)("is done with at once: %s", ([_name, raw]) =>
    Effect.gen(function* () {
      const text = raw()
      assert.isBelow((yield* RelativeCost.leastOf(most, read(text))).cost, most)
    })
  )

  it("has no more of its HTML read than a code is wrapped in", () => {
    const { lines, links } = htmlBody(`${"<p>text <a href='https://a.example'>x</a></p>".repeat(100_000)}`)
    assert.isAtMost(lines.length, 1_000)
    assert.isAtMost(links.length, 200)
  })

  it.effect("costs little where it is long", () =>
    Effect.gen(function* () {
      const text = (lines: number) =>
        mail(
          ["From: a@b.example", "Subject: Your verification code"],
          "Your order 482913 and your code 991122, see 7K9Q2M\r\n".repeat(lines)
        )
      assert.isBelow((yield* RelativeCost.leastOf(10, read(text(800)))).cost, 10)
    })
  )
})
