import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Expectation from "../../../core/agent/Expectation.ts"
import type { ElementState } from "../../../core/browser/element/ElementState.ts"

const wanted = (text: string): Expectation.Wanted => ({ text, shown: `"${text}"` })
const compared = (operator: Expectation.Comparison["operator"], text: string) => ({ operator, wanted: wanted(text) })
const showing: Expectation.Showing = { text: (text) => `"${text}"`, url: (url) => url }

const state = (more: Partial<ElementState>): ElementState => ({
  matched: 1,
  visible: 1,
  text: "",
  otherTexts: [],
  values: [],
  isSecret: false,
  ...more
})

const facts = (more: Partial<Expectation.Facts> & { readonly at?: Readonly<Record<string, ElementState>> }) => ({
  address: "https://shop.example/cart?step=2",
  states: new Map(Object.entries(more.at ?? {})),
  requests: [],
  files: [],
  ...more
})

const one = (condition: Expectation.Condition, found: Expectation.Facts) =>
  Expectation.judge([condition], "all", found, showing)

describe("one condition", () => {
  const address = (operator: Expectation.Comparison["operator"], text: string) =>
    ({ type: "address", comparison: compared(operator, text) }) as const
  it.each([
    ["contains", "/cart", true],
    ["contains", "/orders", false],
    ["equals", "https://shop.example/cart?step=2", true],
    ["equals", "https://shop.example/cart", false],
    ["matches", "step=\\d$", true],
    ["matches", "^/cart", false]
  ] as const)("on the address: %s %s is %s", (operator, text, holds) => {
    assert.strictEqual(one(address(operator, text), facts({})).holds, holds)
  })

  it.each([
    ["equals", "Paid in full", "  Paid\n in\u00a0full ", true],
    ["equals", "Paid\u202fin full", "Paid in\u200b full", true],
    ["equals", "Caf\u00e9", "Cafe\u0301", true],
    ["equals", "paid", "Paid", false],
    ["contains", "in  full", "Paid in full today", true],
    ["contains", "refunded", "Paid in full", false],
    ["matches", "^Paid .* 12$", "Paid on\n12", true],
    ["contains", "x", null, false]
  ] as const)("on a text: %s %s of %s is %s", (operator, text, shown, holds) => {
    const condition = { type: "text", selector: "//p", comparison: compared(operator, text) } as const
    const at = shown === null ? {} : { "//p": state({ text: shown }) }
    assert.strictEqual(one(condition, facts({ at })).holds, holds)
  })

  it.each([
    ["equals", "Paid", ["Open", "Paid"], true],
    ["contains", "Pai", ["Open", "Paid"], true],
    ["matches", "^P", ["Open", "Paid"], true],
    ["equals", "Sent", ["Open", "Paid"], false],
    ["equals", "Open Paid", ["Open", "Paid"], false],
    // That there is no text is said of all of them.
    ["equals", "", ["", "Unknown number"], false],
    ["equals", "", ["", ""], true],
    ["matches", "^$", ["Unknown number", ""], false]
  ] as const)("on the texts of several elements: %s %s of %j is %s", (operator, text, [first, ...others], holds) => {
    const condition = { type: "text", selector: "//p", comparison: compared(operator, text) } as const
    const at = { "//p": state({ matched: 3, visible: 2, text: first, otherTexts: others }) }
    assert.strictEqual(one(condition, facts({ at })).holds, holds)
  })

  it("on the texts of several elements, of which it names the first ones", () => {
    const condition = { type: "text", selector: "//p", comparison: compared("equals", "Sent") } as const
    const at = { "//p": state({ matched: 5, visible: 5, text: "a", otherTexts: ["b", "c", "d", "e"] }) }
    assert.strictEqual(one(condition, facts({ at })).missed[0]?.found, '"a", "b", "c" and 2 more')
  })

  it("on the text of the page, where it names no selector", () => {
    const condition = { type: "text", selector: null, comparison: compared("contains", "Thanks") } as const
    assert.isTrue(one(condition, facts({ at: { [Expectation.page]: state({ text: "Shop\nThanks" }) } })).holds)
    assert.isFalse(one(condition, facts({ at: { "//h1": state({ text: "Thanks" }) } })).holds)
  })

  it.each([
    ["12.50", ["12.50"], true],
    ["12.5", ["12.50"], true],
    ["1250", ["12.50"], false],
    ["1250", ["1,250"], false],
    ["0012", ["12"], true],
    ["12a", ["12"], false],
    ["Germany", ["Germany", "DE"], true],
    ["DE", ["Germany", "DE"], true],
    ["true", ["true"], true],
    ["true", ["false"], false],
    ["", [""], true],
    ["", [], false]
  ] as const)("on a value: %s of %j is %s", (text, values, holds) => {
    const condition = { type: "value", selector: "//input", comparison: compared("equals", text) } as const
    assert.strictEqual(one(condition, facts({ at: { "//input": state({ values }) } })).holds, holds)
  })

  const many = Number.POSITIVE_INFINITY
  it.each([
    [true, 1, many, { matched: 2, visible: 1 }, true],
    [true, 1, many, { matched: 2, visible: 0 }, false],
    [false, 1, many, { matched: 2, visible: 0 }, true],
    [true, 0, 0, { matched: 2, visible: 0 }, true],
    [true, 0, 0, { matched: 2, visible: 1 }, false],
    [false, 0, 0, { matched: 2, visible: 0 }, false],
    [true, 3, 3, { matched: 3, visible: 3 }, true],
    [true, 3, 3, { matched: 4, visible: 4 }, false],
    [true, 2, 4, { matched: 5, visible: 5 }, false]
  ] as const)("on elements: visible %s, %s to %s, of %j is %s", (visible, least, most, found, holds) => {
    const condition = { type: "element", selector: "//li", visible, least, most } as const
    const judged = one(condition, facts({ at: { "//li": state(found) } }))
    assert.strictEqual(judged.holds, holds)
    // It may hold only because nothing has happened yet.
    if (holds) assert.strictEqual(judged.precedes, most !== many)
  })

  const post = { method: "POST", url: "https://shop.example/api/orders?x=1", status: 201 }
  it.each([
    [null, "/api/orders", null, [post], true],
    ["POST", "/api/orders", "2xx", [post], true],
    ["POST", "*/orders*", 201, [post], true],
    ["POST", "regex:/orders\\?x=\\d", null, [post], true],
    ["GET", "/api/orders", null, [post], false],
    ["POST", "/api/cart", null, [post], false],
    ["POST", "/api/orders", 200, [post], false],
    ["POST", "/api/orders", "4xx", [{ ...post, status: 422 }], true],
    ["POST", "/api/orders", null, [{ ...post, status: 302 }], true],
    ["POST", "/api/orders", null, [{ ...post, status: 500 }], false],
    ["POST", "/api/orders", null, [{ ...post, status: 500 }, post], true],
    ["POST", "/api/orders", null, [], false]
  ] as const)("on a request: %s %s with %s, of %j is %s", (method, url, status, requests, holds) => {
    const condition = { type: "request", method, url: wanted(url), status } as const
    assert.strictEqual(one(condition, facts({ requests })).holds, holds)
  })

  const pdf = { fileName: "Invoice-7.PDF", mediaType: "application/pdf", bytes: 900 }
  it.each([
    [null, null, 1, [pdf], true],
    ["invoice-*.pdf", "application/pdf", 900, [pdf], true],
    ["*7*", null, 1, [pdf], true],
    ["*.csv", null, 1, [pdf], false],
    ["invoice*7*7.pdf", null, 1, [pdf], false],
    [null, "text/csv", 1, [pdf], false],
    [null, null, 901, [pdf], false],
    [null, null, 1, [{ ...pdf, bytes: 0 }], false],
    [null, null, 1, [], false],
    ["*.pdf", null, 1, [{ ...pdf, fileName: "a.csv" }, pdf], true]
  ] as const)("on a file: %s of %s with %s bytes, of %j is %s", (name, type, bytes, files, holds) => {
    const of = (text: string | null) => (text === null ? null : wanted(text))
    const condition = { type: "file", name: of(name), mediaType: of(type), bytes } as const
    const judged = one(condition, facts({ files }))
    assert.strictEqual(judged.holds, holds)
    assert.strictEqual(judged.isFinal, !holds)
  })
})

describe("several conditions", () => {
  const variable = (holds: boolean) => ({ type: "variable", holds, expected: "a EQUAL b", found: "c" }) as const
  const there = { type: "element", selector: "//li", visible: true, least: 1, most: Number.POSITIVE_INFINITY } as const
  const gone = { type: "element", selector: "//b", visible: true, least: 0, most: 0 } as const
  const found = facts({ at: { "//li": state({}) } })

  it("hold together or one by one, and what cannot change any more ends the wait", () => {
    const judge = (match: "all" | "any", ...conditions: ReadonlyArray<Expectation.Condition>) => {
      const { holds, isFinal, precedes } = Expectation.judge(conditions, match, found, showing)
      return holds ? (precedes ? "holds so far" : "holds") : isFinal ? "fails" : "waits"
    }
    const absent = { ...there, selector: "//i" }
    assert.deepStrictEqual(
      [
        judge("all", there, variable(true)),
        judge("all", there, variable(false)),
        judge("all", absent, variable(true)),
        judge("all", absent, variable(false)),
        judge("all", there, gone),
        judge("any", absent, variable(true)),
        judge("any", absent, variable(false)),
        judge("any", variable(false), variable(false)),
        judge("any", absent, gone),
        judge("any", there, gone)
      ],
      ["holds", "fails", "waits", "fails", "holds so far", "holds", "waits", "fails", "holds so far", "holds"]
    )
  })

  it.prop(
    "all of them hold where each does, and any where one does; what is missed does not hold",
    [Schema.Array(Schema.Boolean).check(Schema.isMinLength(1), Schema.isMaxLength(6))],
    ([truths]) => {
      const conditions = truths.map(variable)
      const all = Expectation.judge(conditions, "all", found, showing)
      const any = Expectation.judge(conditions, "any", found, showing)
      assert.strictEqual(all.holds, truths.every(Boolean))
      assert.strictEqual(any.holds, truths.some(Boolean))
      assert.strictEqual(all.missed.length, truths.filter((truth) => !truth).length)
      assert.deepStrictEqual(any.missed, all.missed)
    }
  )

  it.prop(
    "a name is that of a pattern of its own pieces",
    [Schema.Array(Schema.Literals(["a", "b", ".", ""]))],
    ([parts]) => {
      assert.isTrue(Expectation.isNamed(parts.join(""), parts.join("*")))
      assert.isTrue(Expectation.isNamed(parts.join("x"), parts.join("*")))
      assert.isFalse(Expectation.isNamed(`${parts.join("")}c`, `${parts.join("*")}d`))
    }
  )

  it("are told with what was found in place of each", () => {
    const conditions: ReadonlyArray<Expectation.Condition> = [
      { type: "address", comparison: compared("contains", "/orders") },
      { type: "text", selector: "//h1", comparison: compared("equals", "Thanks") },
      { type: "value", selector: "//input", comparison: compared("equals", "secret") },
      { ...there, selector: "//u", least: 2 },
      gone,
      { type: "request", method: "POST", url: wanted("/api"), status: "2xx" },
      { type: "file", name: wanted("*.pdf"), mediaType: null, bytes: 1 },
      variable(false)
    ]
    const at = {
      "//input": state({ values: ["hunter2"], isSecret: true }),
      "//u": state({ matched: 3, visible: 1 }),
      "//b": state({})
    }
    const requests = [{ method: "POST", url: "https://a/api", status: 500 }]
    const judged = Expectation.judge(conditions, "all", facts({ at, requests }), showing)
    assert.strictEqual(
      Expectation.sentenceOf(judged, "all", 50),
      [
        'Expected within 50 ms: the address contains "/orders"; found https://shop.example/cart?step=2',
        'the text of //h1 equals "Thanks"; found no such element',
        'the value of //input equals "secret"; found another text, which the field hides',
        "at least 2 of //u, visible; found 1 (and 2 that cannot be seen)",
        "none of //b, visible; found 1",
        'a request POST "/api" with a status 2xx; found POST https://a/api with status 500',
        'a file named "*.pdf", of at least 1 bytes; found no file',
        "a EQUAL b; found c"
      ].join(". Expected too: ")
    )
    assert.include(Expectation.sentenceOf(judged, "any", null), "Expected that one of these holds: the address")
  })
})
