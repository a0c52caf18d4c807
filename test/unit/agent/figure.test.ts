import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Figure from "../../../core/browser/element/Figure.ts"
import { scale } from "../../support/scale.ts"

/** `null`: none is read, with a doubt. */
type Row = readonly [text: string, number: number | null]

const sure: ReadonlyArray<Row> = [
  ["5", 5],
  ["-5", -5],
  ["+5", 5],
  ["−12", -12],
  ["–12,50 €", -12.5],
  ["- 12,50 €", -12.5],
  ["– 12,50 EUR", -12.5],
  ["Saldo: -12,50", -12.5],
  ["Saldo: - 12,50", -12.5],
  ["12.00-", -12],
  ["12,00- EUR", -12],
  ["12,00 €-", -12],
  ["12.00 -", 12],
  ["(12.00)", -12],
  ["(12,00)", -12],
  ["(1,234.50)", -1234.5],
  ["$ (5.00)", -5],
  ["($5.00)", -5],
  ["($5)", -5],
  ["(5.00 €)", -5],
  ["(5%)", -5],
  ["Total: (12.00)", -12],
  ["Inbox (12)", 12],
  ["€12", 12],
  ["€ 12,50", 12.5],
  ["-€12.50", -12.5],
  ["€-12.50", -12.5],
  ["- $5.00", -5],
  ["$ -5", -5],
  ["EUR -5", -5],
  ["EUR-5,00", -5],
  ["12,-", 12],
  ["12,-- €", 12],
  ["12.–", 12],
  ["12,- €", 12],
  ["12.", 12],
  ["Total: 5.", 5],
  ["0,123", 0.123],
  ["0.123", 0.123],
  ["0,5", 0.5],
  [".99", 0.99],
  ["$.99", 0.99],
  ["-.5", -0.5],
  ["Rs.500", 500],
  ["Rs. 1,23,456.78", 123_456.78],
  ["No.5", 5],
  ["1234,567", 1234.567],
  ["1,2345", 1.2345],
  ["12,5", 12.5],
  ["5,00", 5],
  ["1.234,50", 1234.5],
  ["1,234.50", 1234.5],
  ["1'234.50", 1234.5],
  ["1’234.50", 1234.5],
  ["1'234", 1234],
  ["1'234'567", 1_234_567],
  ["1 234,50", 1234.5],
  ["1\u00a0234,50", 1234.5],
  ["1\u202f234,50 €", 1234.5],
  ["1\u2009234", 1234],
  ["1\u00a0234", 1234],
  ["1 234 567", 1_234_567],
  ["1.234.567", 1_234_567],
  ["1,234,567", 1_234_567],
  ["1.234.567,89", 1_234_567.89],
  ["1,234,567.89", 1_234_567.89],
  ["1,23,456.78", 123_456.78],
  ["1,23,456", 123_456],
  ["12,34,56,789", 123_456_789],
  ["١٢٣", 123],
  ["١٬٢٣٤٫٥", 1234.5],
  ["۱۲۳۴", 1234],
  ["۱۲٫۵", 12.5],
  ["१,२३,४५६.७८", 123_456.78],
  ["１２３", 123],
  ["１，２３４．５０", 1234.5],
  ["𝟏𝟐", 12],
  ["1.5k", 1500],
  ["2.3M", 2_300_000],
  ["$1.5k", 1500],
  ["12K+", 12_000],
  ["12 km", 12],
  ["12kg", 12],
  ["5%", 5],
  ["12,5 %", 12.5],
  ["5 m²", 5],
  ["12 CO₂", 12],
  ["1e3", 1000],
  ["1.5e-7", 1.5e-7],
  ["6.02E23", 6.02e23],
  ["1E5", 100_000],
  ["INV-4711", 4711],
  ["inv–4711", 4711],
  ["R2", 2],
  ["Order 66", 66],
  ["3 items", 3],
  ["1st", 1],
  ["00123", 123],
  ["#5", 5],
  ["~5", 5],
  ["<5", 5],
  ["5-star", 5],
  ["$12.99$12.99", 12.99],
  ["$12.99\n$12.99", 12.99],
  ["\u200e-5", -5],
  ["1\u00ad2", 12],
  ["9007199254740991", 9_007_199_254_740_991],
  ["10000000000000000000", 1e19],
  ["-0", 0],
  ["4.5 stars", 4.5],
  ["Page 3", 3],
  ["Price 12,99 €/kg", 12.99]
]

const unread: ReadonlyArray<string> = [
  "5 of 12 seats",
  "5,00 € (incl. 19% VAT)",
  "99.00 79.00",
  "5–10",
  "5-10",
  "5 - 10",
  "5 … 10",
  "12.99 €/100 g",
  "4.5 (120 reviews)",
  "2024-01-15",
  "15.01.2024",
  "1/15/2024",
  "15 Jan 2024",
  "12:30",
  "1:05:22",
  "24/7",
  "2 of 2",
  "5x5",
  "1.2.3",
  "192.168.0.1",
  "1.234.56",
  "12.34,56",
  "1,234,56",
  "1,2,3",
  "1, 2, 3",
  "5'11",
  "+49 30 1234567",
  "030 123 456",
  "(030) 123456",
  "555-1234",
  "4111 1111 1111 1111",
  "4111 111",
  "12.50 300",
  "5  120",
  "5\n120",
  "A4 paper 500 sheets",
  "R2-D2",
  "0x1F",
  "3f2a",
  "2 x 500 g",
  "1 ½ cups",
  "½",
  "12.50¹",
  "12⁹⁹",
  "①",
  "1.2 Mio. €",
  "3 million",
  "2,5 Mrd",
  "12万",
  "5 lakh",
  "Balance - 12.50",
  "- 12 items",
  "±5",
  "9007199254740993",
  "9,007,199,254,740,993",
  "123456789012345678901234567890",
  "1e400",
  "1'234.567.890"
]

const absent: ReadonlyArray<string> = ["", " ", "n/a", "–", "-", "sold out", "$", "—", ".", "()", "∞", "NaN"]

/** Read as they usually are, with a doubt. */
const doubtful: ReadonlyArray<Row> = [
  ["1,234", 1234],
  ["12,345 €", 12_345],
  ["-1,234", -1234],
  ["1.234", 1.234],
  ["12.345", 12.345],
  ["1 234", 1234],
  ["Qty 5 120", 5120],
  ["(12)", 12],
  ["(1,234)", 1234],
  ["512B", 512]
]

describe("the figure of a text", () => {
  it.each(sure)("%s is %d, without a doubt", (text, number) => {
    assert.deepStrictEqual(Figure.read(text), { number, doubt: null })
  })

  it.each(unread.map((text) => [text]))("%s is no number, and the doubt says why", (text) => {
    const { doubt, number } = Figure.read(text)
    assert.isNull(number)
    assert.isNotNull(doubt)
  })

  it.each(absent.map((text) => [text]))("%j has no figure, which is no doubt", (text) => {
    assert.deepStrictEqual(Figure.read(text), { number: null, doubt: null })
  })

  it.each(doubtful)("%s is read as %d, with a doubt", (text, number) => {
    const reading = Figure.read(text)
    assert.strictEqual(reading.number, number)
    assert.isNotNull(reading.doubt)
  })

  it.each<readonly [tag: string, text: string, number: number]>([
    ["de", "1,234", 1.234],
    ["de-DE", "1.234", 1234],
    ["en", "1,234", 1234],
    ["en-US", "1.234", 1.234],
    ["fr", "1 234", 1234],
    ["pl", "12 345", 12_345],
    ["de-CH", "1.234", 1.234],
    ["en-IN", "1,234", 1234],
    ["pt-BR", "1.234", 1234],
    ["es-MX", "1,234", 1234],
    ["es-ES", "1,234", 1.234],
    ["de", "12.50", 12.5],
    ["en", "12,50", 12.5],
    ["en", "0,123", 0.123]
  ])("where the page is in %s, %s is %d", (tag, text, number) => {
    const convention = { ...Figure.unknown, ...Figure.ofLanguage(tag) }
    assert.deepStrictEqual(Figure.read(text, convention), { number, doubt: null })
  })

  it.each([["es"], [""], ["xx"], ["not a tag"]])("the language %j decides nothing", (tag) => {
    assert.isNull(Figure.ofLanguage(tag).decimal)
  })

  it.each<readonly [column: ReadonlyArray<string>, text: string, number: number]>([
    [["12.50", "1,234"], "1,234", 1234],
    [["12,50", "1,234"], "1,234", 1.234],
    [["1.234.567", "1.234"], "1.234", 1234],
    [["1.234,00"], "1.234", 1234],
    [["12", "(12)"], "(12)", -12],
    [["5 of 12.5", "12,50"], "1.234", 1234]
  ])("beside %j, %s is %d", (column, text, number) => {
    const shown = Figure.shownBy(column)
    assert.deepStrictEqual(Figure.read(text, { ...Figure.unknown, ...shown }), { number, doubt: null })
  })

  it("a column that uses both separators decides nothing", () => {
    assert.isNull(Figure.shownBy(["12,50", "12.50"]).decimal)
  })

  it.each<readonly [decimal: Figure.Decimal, text: string, number: number | null]>([
    [",", "1,234", 1.234],
    [",", "1.234", 1234],
    [".", "1,234", 1234],
    [",", "12.50", null],
    [".", "12,50", null],
    [".", "0,123", null],
    [",", "1,234.50", null],
    [",", "12 345,6", 12_345.6],
    [",", "12 345", 12_345]
  ])("with a format whose decimals follow %j, %s is %s", (decimal, text, number) => {
    const { doubt, number: found } = Figure.read(text, { ...Figure.unknown, decimal, strict: true })
    assert.strictEqual(found, number)
    assert.strictEqual(doubt === null, number !== null)
  })

  it.each<readonly [text: string, number: number | null]>([
    ["12", 12],
    ["12,00", 12],
    ["12.5", null],
    ["1.5k", 1500]
  ])("%s as a whole number is %s", (text, number) => {
    assert.strictEqual(Figure.whole(Figure.read(text)).number, number)
  })

  it("stands in a long text, the beginning and end of which do not count as those of the figure", () => {
    const words = "word ".repeat(50)
    const found = (text: string) => Figure.read(text).number
    assert.strictEqual(found(`${words}12.50 ${words}`), 12.5)
    assert.strictEqual(found(`${words}(12.50)`), 12.5)
    assert.strictEqual(found(`${words}-12.50`), -12.5)
    assert.strictEqual(found(`${" ".repeat(50)}(12.50)${" ".repeat(50)}`), -12.5)
    assert.deepStrictEqual(Figure.read(`5 ${"x".repeat(10_000)}`), {
      number: null,
      doubt: "it is longer than 10000 characters"
    })
  })

  const locales = ["en-US", "de-DE", "fr-FR", "de-CH", "en-IN", "pl-PL", "ar-EG", "hi-IN-u-nu-deva", "fa-IR", "ru-RU"]
  const written = Schema.Struct({
    tag: Schema.Literals(locales),
    cents: Schema.Int.check(Schema.isBetween({ minimum: -1e11, maximum: 1e11 })),
    digits: Schema.Literals([0, 2, 3])
  })

  it.prop(
    "what a locale writes is read back with its convention",
    [Arbitrary.schema(written)],
    ([{ cents, digits, tag }]) => {
      const number = cents / 10 ** digits
      const style = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      const text = new Intl.NumberFormat(tag, style).format(number)
      const found = Figure.read(text, { ...Figure.unknown, ...Figure.ofLocale(tag) })
      assert.deepStrictEqual(found, { number: number === 0 ? 0 : number, doubt: null }, text)
    },
    { arbitrary: { runs: 200 * scale } }
  )

  const pieces = Schema.Array(Schema.Literals([..."0123456789.,-' ()€%x\u00a0"])).check(Schema.isMaxLength(14))

  it.prop(
    "a number without a doubt has the digits of its text in their order",
    [Arbitrary.schema(pieces)],
    ([parts]) => {
      const text = parts.join("")
      const { doubt, number } = Figure.read(text)
      if (number === null || doubt !== null || /e/.test(String(number))) return
      const digits = text.replace(/\D/g, "")
      assert.include(digits, String(Math.abs(number)).replace(/\D/g, "").replace(/^0+/, ""), text)
    },
    { arbitrary: { runs: 500 * scale } }
  )
})
