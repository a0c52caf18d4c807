import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { maxAtOnce, Secrets } from "../../../core/redaction/Secrets.ts"
import * as RelativeCost from "../../support/relativeCost.ts"
import { scale } from "../../support/scale.ts"

/** What a search may cost, in fixed works. */
const most = 30

const hex4 = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`
const units = (text: string) => [...Array(text.length).keys()].map((at) => text.charCodeAt(at))
const entities = (text: string) =>
  text.replace(/[&<>"']/g, (one) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[one] ?? "#39"};`)
const base64 = (text: string) => Buffer.from(text).toString("base64")

/** Ways in which programs write a text. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  json: (text) => JSON.stringify(text).slice(1, -1),
  "json of json": (text) => JSON.stringify(JSON.stringify(text)),
  "json with slashes escaped": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "json in ASCII": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, (one) => units(one).map(hex4).join("")),
  "a part of an address": encodeURIComponent,
  "a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "an address": encodeURI,
  "an address in lower case": (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  "an address in an address": (text) => encodeURIComponent(encodeURIComponent(text)),
  "html text": (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  html: entities,
  "html in html": (text) => entities(entities(text)),
  "html by numbers": (text) => [...text].map((one) => (/\w/.test(one) ? one : `&#${one.codePointAt(0)};`)).join(""),
  "html by hexadecimal numbers": (text) =>
    [...text].map((one) => (/\w/.test(one) ? one : `&#x${one.codePointAt(0)?.toString(16)};`)).join(""),
  "json in html": (text) => entities(JSON.stringify(text).slice(1, -1)),
  hexadecimal: (text) => Buffer.from(text).toString("hex"),
  base64,
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 in an address": (text) => encodeURIComponent(base64(text))
}

/** Texts as people and programs make them, with what encodings escape, and of every length. */
const secretText = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9 "'&<>%+/\\=?#.é✓~\n-]{6,60}$/))

describe("a secret is in nothing that leaves the run", () => {
  for (const [name, encode] of Object.entries(encodings)) {
    it.prop(
      `as ${name}`,
      [secretText, Schema.String, Schema.String],
      ([value, before, after]) => {
        const secrets = new Secrets()
        secrets.add(value, "secret")
        const encoded = encode(value)
        assert.notInclude(secrets.hide(`${before}|${encoded}|${after}`), encoded)
        assert.notInclude(
          JSON.stringify(Effect.runSync(secrets.hideInData({ list: [{ [encoded]: encoded }] }))),
          encoded
        )
      },
      { arbitrary: { runs: 100 } }
    )
  }

  it.prop(
    "as a part of something in base64",
    [secretText, Schema.String.check(Schema.isPattern(/^[a-z]{0,5}$/))],
    ([value, before]) => {
      const secrets = new Secrets()
      secrets.add(value, "secret")
      const shown = secrets.hide(`Basic ${base64(`${before}:${value}:more`)}`)
      assert.notInclude(Buffer.from(shown.slice(6), "base64").toString(), value)
      assert.include(shown, "[secret]")
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "when one laps over another, or the text is cut within it",
    [
      Schema.String.check(Schema.isPattern(/^[ab]{6,10}$/)),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
    ],
    ([value, length]) => {
      const secrets = new Secrets()
      const [one, other] = [value.slice(0, 5), value.slice(1)]
      secrets.add([one, other], "secret")
      const text = `....${value}....${value}....`
      for (const shown of [secrets.hide(text), secrets.hideWithin(text, length)]) {
        assert.match(shown, /^(\.|\[secret\])*$/)
      }
    },
    { arbitrary: { runs: 200 } }
  )
})

describe("secrets", () => {
  it("of less than four characters are left, as are numbers within longer numbers", () => {
    const secrets = new Secrets()
    secrets.add(["abc", 12, "123456"], "secret")
    assert.strictEqual(secrets.hide("abc 12 A-9123456 1234567"), "abc 12 A-9123456 1234567")
    assert.strictEqual(secrets.hide("?code=%20123456&x"), "?code=%20[secret]&x")
    assert.deepEqual<unknown>(Effect.runSync(secrets.hideInData({ code: 123456, total: 1234567 })), {
      code: "[secret]",
      total: 1234567
    })
  })

  it("that are long are hidden to their end", () => {
    const value = Array.from({ length: 3_000 }, (_, index) => `${index.toString(36)}+`).join("")
    const secrets = new Secrets()
    secrets.add(value, "secret")
    assert.match(Effect.runSync(secrets.hideLong(`a ${encodeURIComponent(value)} b`)), /^a (\[secret\])+ b$/)
  })

  it("that are user names and words of a language are hidden where they stand by themselves", () => {
    const secrets = new Secrets()
    secrets.add("admin", "name")
    secrets.add("ada.b@example.com", "name")
    for (const text of ["/wp-admin/", "administrator", "admin_area", "readmin"]) {
      assert.strictEqual(secrets.hide(text), text)
    }
    const hidden = "[user name]"
    assert.strictEqual(secrets.hide("/users/admin?name=admin&x"), `/users/${hidden}?name=${hidden}&x`)
    assert.strictEqual(secrets.hide("%2Fadmin%2F"), `%2F${hidden}%2F`)
    assert.strictEqual(secrets.hide('"a\\nadmin\\n"'), `"a\\n${hidden}\\n"`)
    assert.strictEqual(secrets.hide("xada.b@example.comx"), `x${hidden}x`)
    // The same word as a password is a secret everywhere.
    secrets.add("admin", "secret")
    assert.strictEqual(secrets.hide("/wp-admin/"), "/wp-[secret]/")
  })

  it("say what they were, and leave names and answers in the data", () => {
    const secrets = new Secrets()
    secrets.add("ada@example.com", "name")
    secrets.add({ colour: "purple" }, "answer")
    secrets.add("ada@example.com!", "secret")
    assert.strictEqual(secrets.hide("ada%40example.com likes purple"), "[user name] likes [answer]")
    assert.deepEqual(Effect.runSync(secrets.hideInData(["ada@example.com", "purple", "ada@example.com!"])), [
      "ada@example.com",
      "purple",
      "[secret]"
    ])
  })

  it("are not in what a defect says of itself, nor in what caused it", () => {
    const secrets = new Secrets()
    secrets.add("correct horse", "secret")
    const defect = new Error("no correct%20horse", { cause: { statement: "insert 'correct horse'" } })
    const told = secrets.describe(defect)
    assert.include(told, "no [secret]")
    assert.include(told, "insert '[secret]'")
    assert.notInclude(told, "horse")
  })

  it("of links are hidden with the parts that open a door by themselves", () => {
    const secrets = new Secrets()
    secrets.addLink("https://bank.example/sign-in/4f9a8b7c6d5e4f3a2b1c?token=abcdefgh12&a=1#zzzzzzzzzz")
    assert.strictEqual(
      secrets.hide("to https://bank.example/in/4f9a8b7c6d5e4f3a2b1c?next=abcdefgh12&a=1 by zzzzzzzzzz"),
      "to https://bank.example/in/[secret]?next=[secret]&a=1 by [secret]"
    )
  })

  it("cost little to look for, whatever they and the text are made of", async () => {
    const secrets = new Secrets()
    for (const value of ["\\".repeat(60), "%25".repeat(30), "&amp;".repeat(30), " ".repeat(60), '"\\'.repeat(30)]) {
      secrets.add(`${value}x`, "secret")
    }
    for (const hostile of ["\\", "%25", "&amp;", "+", '\\"', "%2525"]) {
      const search = () => Effect.runSync(secrets.hideLong(hostile.repeat(20_000)))
      assert.isBelow(RelativeCost.least(most, search), most)
    }
  })
})

/** Values that are hidden in ways of their own, and short and long ones. */
const hard = [
  "hunter2",
  "123456",
  "@pass1",
  "\\\\@#$x",
  "!!!!",
  " @ @",
  "a b c",
  "éééé",
  "😀😀",
  "=".repeat(511),
  "ab".repeat(300),
  `${"@".repeat(511)}b`,
  `${"\\".repeat(40)}b`,
  `${"@#".repeat(250)}b`,
  `${`${"=".repeat(32)}a`.repeat(15)}!`
]

/** Pieces of texts: values as programs write them, parts of them, and what nearly is one. */
const piece = Schema.Tuple([
  Schema.Literals(hard),
  Schema.Literals(Object.keys(encodings) as [string, ...Array<string>]),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
])

describe("a text that is searched in turns", () => {
  const secrets = new Secrets()
  for (const [index, value] of hard.entries()) secrets.add(value, index % 4 === 0 ? "answer" : "secret")
  /** Within one turn, and at its end. */
  const turn = maxAtOnce

  it.effect.prop(
    "is shown as it is when it is searched at once, wherever a turn ends",
    [
      Schema.Array(piece).check(Schema.isMaxLength(8)),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: turn }))
    ],
    ([pieces, cut]) =>
      Effect.gen(function* () {
        const text = pieces
          .map(([value, encoding, from, times]) => {
            const encoded = (encodings[encoding] ?? String)(value)
            return encoded.slice(from) + encoded.repeat(Math.min(times, 600 / encoded.length))
          })
          .join("")
          .slice(0, turn)
        const at = Math.min(cut, text.length)
        // Bars around it keep what is in the text apart from what it is shifted by.
        const shift = "|".repeat(turn - at)
        const atOnce = secrets.hide(`|${text}`.slice(0, turn))
        const expected = text.length < turn ? `${shift.slice(1)}${atOnce}||` : null
        const shown = yield* secrets.hideLong(`${shift}${text}||`)
        if (expected !== null) assert.strictEqual(shown, expected)
      }),
    { arbitrary: { runs: 100 * scale } }
  )

  const beside = new Secrets()
  for (const [index, value] of hard.entries()) beside.add(value, index % 4 === 0 ? "answer" : "secret")
  // None of them is in a text, but what they are known by partly is.
  for (let index = 0; index < 100; index++) beside.add(`~hunter2~pass1~${index}~${"ab".repeat(30)}~`, "secret")

  it.effect.prop(
    "is shown as it is with few values where there are many others, at once and in turns",
    [Schema.Array(piece).check(Schema.isMaxLength(8)), Schema.String],
    ([pieces, before]) =>
      Effect.gen(function* () {
        const encoded = pieces.map(([value, encoding, from]) => (encodings[encoding] ?? String)(value).slice(from))
        const text = `${before}${encoded.join("|")}`
        assert.strictEqual(beside.hide(text), secrets.hide(text))
        assert.strictEqual(yield* beside.hideLong(text), yield* secrets.hideLong(text))
        assert.deepEqual(yield* beside.hideInData({ [text]: [text] }), yield* secrets.hideInData({ [text]: [text] }))
      }),
    { arbitrary: { runs: 100 * scale } }
  )

  it.effect("is shown as one secret where a repeated value goes through many turns", () =>
    Effect.gen(function* () {
      const shown = yield* secrets.hideLong(`|${"=".repeat(5 * turn)}|${"ab".repeat(3 * turn)}|`)
      assert.match(shown, /^\|\[secret\]\|(\[secret\])+\|$/)
      assert.isBelow(shown.length, 100)
    })
  )

  it.effect("is hidden in data as it is in a text", () =>
    Effect.gen(function* () {
      const text = `${"|".repeat(turn - 3)}hunter2|${"@pass1 ".repeat(turn)}`
      const shown = yield* secrets.hideLong(text)
      assert.notInclude(shown, "hunter2")
      const data = yield* secrets.hideIn({ [text]: [text, 123456] })
      assert.deepEqual<unknown>(data, { [shown]: [shown, "[secret]"] })
    })
  )

  it("is cut where it is hidden at once", () => {
    assert.strictEqual(secrets.hide("|".repeat(2 * maxAtOnce)), "|".repeat(maxAtOnce))
  })
})

describe("the name of a file", () => {
  const secrets = new Secrets()
  secrets.add('Ab"12/é&34', "secret")
  secrets.add("x-y", "secret")
  secrets.add("kelvin/Straße", "secret")

  it.each([
    ['report Ab"12/é&34.csv', "report [secret].csv"],
    ["report Ab_12_é&34.csv", "report [secret].csv"],
    ["ab12e\u030134".normalize("NFC"), "[secret]"],
    ["Ab 12.csv", "Ab 12.csv"],
    ["x_y.csv", "x_y.csv"],
    ["\u212aelvin \u017ftraße.csv", "[secret].csv"]
  ])("%s is shown as %s", (name, told) => assert.strictEqual(secrets.hideInName(name), told))
})
