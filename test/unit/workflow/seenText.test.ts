import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import * as Expression from "../../../core/workflow/language/expression/Expression.ts"
import { plain, seen } from "../../../core/workflow/language/format/SeenText.ts"
import { holds, type Operator } from "../../../core/workflow/language/graph/Comparison.ts"
import { scale } from "../../support/scale.ts"

const alike: ReadonlyArray<readonly [what: string, one: string, other: string]> = [
  ["a no-break space", "Paid\u00a0now", "Paid now"],
  ["a narrow no-break space", "12\u202f€", "12 €"],
  ["a thin space", "1\u2009234", "1 234"],
  ["an ideographic space", "Paid\u3000now", "Paid now"],
  ["a zero-width space", "Paid\u200b", "Paid"],
  ["a zero-width space within", "Pa\u200bid", "Paid"],
  ["a word joiner", "Pa\u2060id", "Paid"],
  ["a byte-order mark", "\ufeffPaid", "Paid"],
  ["a soft hyphen", "Rech\u00adnung", "Rechnung"],
  ["a mark of direction", "\u200ePaid\u200f", "Paid"],
  ["an isolate", "\u2066Paid\u2069", "Paid"],
  ["a decomposed letter", "Mu\u0308ller", "Müller"],
  ["a decomposed syllable", "\u1112\u1161\u11ab", "한"],
  ["several blanks", "Paid  now", "Paid now"],
  ["a line break", "Paid\n now", "Paid now"],
  ["blanks at the ends", " Paid ", "Paid"]
]

const different: ReadonlyArray<readonly [one: string, other: string]> = [
  ["Paid", "paid"],
  ["Müller", "Muller"],
  ["Pa id", "Paid"],
  ["10", "10.0"],
  ["ﬁne", "fine"],
  ["m²", "m2"],
  ["می‌خواهم", "میخواهم"],
  ["👨‍👩‍👧", "👨👩👧"]
]

describe("texts as a person sees them", () => {
  it.each(alike)("%s makes no difference", (_, one, other) => {
    for (const [left, right] of [
      [one, other],
      [other, one]
    ] as const) {
      assert.isTrue(holds("EQUAL", left, right))
      assert.isFalse(holds("NOT_EQUAL", left, right))
      assert.isTrue(holds("CONTAINS", ["x", left], right))
      assert.isFalse(holds("NOT_CONTAINS", ["x", left], right))
      assert.isTrue(holds("CONTAINS", `<${left}>`, right.trim()))
    }
  })

  it.each(different)("%s and %s differ", (one, other) => {
    assert.isFalse(holds("EQUAL", one, other))
    assert.isTrue(holds("NOT_EQUAL", one, other))
  })

  it.each<readonly [Operator, string, string, boolean]>([
    ["STARTS_WITH", "Total:\u00a012", "Total: 1", true],
    ["ENDS_WITH", "Total:\u00a012", ": 12", true],
    ["STARTS_WITH", "Total", " ", false],
    ["ENDS_WITH", "Total", "\u00a0", false],
    ["CONTAINS", "Total", " ", false],
    ["CONTAINS", "Total 1", "\u00a0", true]
  ])("%s of %j and %j is %s", (operator, one, other, expected) => {
    assert.strictEqual(holds(operator, one, other), expected)
  })

  it.prop(
    "a text is read to the same however often",
    [
      Arbitrary.schema(
        Schema.Array(Schema.Literals([..."aMu\u0308 \u00a0\u202f\u200b\u00ad\u200e\ufeff\n한\u1112\u1161\u11ab"]))
      )
    ],
    ([parts]) => {
      const text = parts.join("")
      assert.strictEqual(plain(plain(text)), plain(text))
      assert.strictEqual(seen(seen(text)), seen(text))
      assert.isTrue(holds("EQUAL", text, plain(text)))
    },
    { arbitrary: { runs: 200 * scale } }
  )
})

describe("comparisons within expressions", () => {
  const context = {
    a: "Paid\u00a0now",
    list: ["Mu\u0308ller", "Open\u200b"],
    n: 2,
    rows: [{ s: "Paid\u202fnow", id: 1 }]
  }

  it.each<readonly [source: string, value: unknown]>([
    ["context.a = 'Paid now'", true],
    ["'Paid now' = context.a", true],
    ["context.a != 'Paid now'", false],
    ["context.a = 'paid now'", false],
    ["'Müller' in context.list", true],
    ["context.list[1] in ['Open', 'Closed']", true],
    ["context.list = ['Müller', 'Open']", true],
    ["context.rows[s = 'Paid now'].id", 1],
    ["context.rows[s = $$.context.a].id", 1],
    ["context.n = 2", true],
    ["context.none = 'x'", false],
    ["context.none != 'x'", false],
    ["$filter(context.list, function($v) { $v = 'Open' })", "Open\u200b"],
    ["context.a = 'Paid now' ? context.a : 'no'", "Paid\u00a0now"],
    ["$contains(context.a, 'd n')", true],
    ["$contains(context.a, 'dn')", false],
    ["$contains(context.a, /d.n/)", true],
    ["($f := function($x) { $x = 'Open' }; $f(context.list[1]))", true]
  ])("%s is %j", async (source, value) => {
    const expression = Result.getOrThrow(Expression.compile(source))
    assert.deepStrictEqual(await Expression.evaluate(expression, { context }, { at: 0, seed: 1 }), value)
    assert.deepStrictEqual(await Expression.evaluate(expression, { context }, { at: 0, seed: 1 }), value)
  })

  it("do not change what an expression reads", () => {
    const expression = Result.getOrThrow(Expression.compile("context.a = context.list[0]"))
    assert.deepStrictEqual(Expression.reads(expression), [
      ["context", "a"],
      ["context", "list"]
    ])
  })
})
