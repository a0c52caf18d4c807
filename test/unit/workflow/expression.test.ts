import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Expression from "../../../core/workflow/language/expression/Expression.ts"
import * as HeldLoop from "../../support/heldLoop.ts"

const moment = { at: Date.UTC(2026, 2, 29, 0, 59, 59, 500), seed: 7 }

const evaluate = async (source: string, roots: object = {}): Promise<unknown> => {
  const compiled = Expression.compile(source)
  if (Result.isFailure(compiled)) throw new Error(compiled.failure)
  return Expression.evaluate(compiled.success, roots, moment)
}

/** The reason of a failure, which does not hold the event loop. */
const failing = async (source: string, roots: object = {}): Promise<string> => {
  const failure = () =>
    evaluate(source, roots).then(
      (value) => {
        throw new Error(`Expected a failure, got ${JSON.stringify(value)?.slice(0, 200)}`)
      },
      (error: unknown) => Expression.reasonOf(error)
    )
  const { cost, value: reason } = await Effect.runPromise(HeldLoop.least(Effect.promise(failure)))
  assert.isBelow(cost, HeldLoop.most, source.slice(0, 80))
  return reason
}

const long = { text: "a".repeat(100_000), many: Array.from({ length: 200_000 }, (_, index) => index) }

describe("an expression that explodes or loops ends by a limit that has a name", () => {
  it.each([
    ["pads without end", '$pad("x", 1000000000)', "text"],
    ["pads by a text", '$pad("x", 1000, $pad("y", 100000))', "text"],
    ["doubles a text", "($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $length($f('ab', 60)))", "text"],
    ["doubles a list", "($f := function($s, $n) { $n = 0 ? $s : $f([$s, $s], $n - 1) }; $f([1], 60))", "list"],
    [
      "appends to itself",
      "($f := function($s, $n) { $n = 0 ? $s : $f($append($s, $s), $n - 1) }; $f([1], 60))",
      "list"
    ],
    [
      "doubles an object",
      "($f := function($s, $n) { $n = 0 ? $s : $f({'a': $s, 'b': $s}, $n - 1) }; $f(1, 60))",
      "value"
    ],
    [
      "doubles an object for a text",
      "($f := function($s, $n) { $n = 0 ? $s : $f({'a': $s, 'b': $s}, $n - 1) }; $string($f('x', 40)))",
      "value"
    ],
    ["nests objects", "$reduce([1..5000], function($a, $i) { {'a': $a} }, 1)", "nesting"],
    ["counts too far", "$count([1..10000000])", "list"],
    ["multiplies lists", "$count([1..5000].([1..5000].$))", "list"],
    [
      "multiplies lists by functions",
      "$map([1..100000], function($i) { $map([1..1000], function($j) { $i * $j }) })",
      "work"
    ],
    ["calls itself", "($f := function($n) { 1 + $f($n + 1) }; $f(0))", "calls"],
    ["loops endlessly", "($f := function($n) { $f($n + 1) }; $f(0))", "work"],
    ["loops by evaluating", "($f := function($n) { $eval('$f($n + 1)') }; $f(0))", "evaluations"],
    ["replaces by a long text", "$replace(text, 'a', $pad('b', 1000))", "text"],
    ["replaces by what was found", "$replace(text, /.+/, $pad('', 200, '$0'))", "text"],
    ["replaces every character", "$replace(text, /a/, $pad('b', 1000))", "text"],
    ["joins with a long text", "$join($split(text, ''), $pad('b', 1000))", "text"],
    ["builds a list that is too long", "$sort($append(many, many))", "list"],
    [
      "keeps much",
      "($f := function($l, $n) { $n = 0 ? $l : $f($append($l, $pad('x' & $n, 4000000)), $n - 1) }; $f([], 400))",
      "work"
    ]
  ])("%s", async (_name, source, limit) => {
    const reason = await failing(source, long)
    assert.match(reason, new RegExp(`the limit "(${limit}|work|value)"`), reason)
  })

  it.each([
    ["a pattern that doubles", "$match(text, /(a+)+$/)"],
    ["a pattern that doubles where case does not count", "$match(text, /(a|A)+$/i)"],
    ["a pattern of parts that overlap", "$match(text, /a*a*a*a*a*b/)"]
  ])("%s is refused when it is read", (_name, source) => {
    const compiled = Expression.compile(source)
    assert.isTrue(Result.isFailure(compiled))
    if (Result.isFailure(compiled)) assert.include(compiled.failure, "Cannot use the pattern")
  })

  it.each([
    [
      "a pattern that is made while it runs",
      "$eval('$match(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\", /(a+)+$/)')",
      /Cannot use the pattern/
    ],
    ["a picture of a date with a part many times", "$toMillis(text, '[MNn]a[MNn]a[MNn]a[MNn]')", /date/],
    ["a picture with a huge width", "$fromMillis(0, '[Y,*-999999999]')", /widths/],
    ["a huge picture", "$formatNumber(1, $pad('', 100000, '0'))", /picture/],
    ["a pattern with a text that is too long for it", "$contains(text, /^.*b.*c$/)", /at most \d+ characters/],
    ["a promise that is never kept", "{'then': /a/}", /only be matched with a text/]
  ])("%s is refused", async (_name, source, reason) => assert.match(await failing(source, long), reason))

  it("does not read a source that is too long or too deep", () => {
    for (const source of [
      "1+".repeat(40_000),
      `${"(".repeat(20_000)}1`,
      `${"[".repeat(20_000)}`,
      "a.".repeat(20_000)
    ]) {
      assert.isTrue(Result.isFailure(Expression.compile(source)))
    }
  })
})

describe("an ordinary expression", () => {
  const roots = {
    context: {
      orders: [
        { id: "A-1", total: 12.5, tags: ["x", "y"] },
        { id: "A-2", total: 7, tags: ["y"] }
      ],
      when: "2024-05-06",
      __proto__: null
    }
  }
  it.each([
    ["context.orders[0].id & '-' & $uppercase('x')", "A-1-X"],
    ["$sum(context.orders.total)", 19.5],
    ["context.orders[total > 10].id", "A-1"],
    ["$map(context.orders, function($o) { $o.id })", ["A-1", "A-2"]],
    ["$map(['a', 'b'], $uppercase)", ["A", "B"]],
    ["$distinct(context.orders.tags)", ["x", "y"]],
    ["$distinct([1, '1', 1, {'a': 1, 'b': 2}, {'b': 2, 'a': 1}])", [1, "1", { a: 1, b: 2 }]],
    ["$replace('a-b-c', /-(.)/, '+$1')", "a+b+c"],
    ["$replace('a-b', '-', '$0')", "a$0b"],
    ["$match('a1b22', /\\d+/).match", ["1", "22"]],
    ["$split('a, b,c', /,\\s*/)", ["a", "b", "c"]],
    ["$contains('Abc', /ABC/i)", true],
    ["$pad('7', -3, '0')", "007"],
    ["$toMillis('2024-05-06', '[Y0001]-[M01]-[D01]')", 1714953600000],
    ["$fromMillis(0, '[Y0001]-[M01]-[D01]')", "1970-01-01"],
    ["$formatNumber(1234.5, '#,##0.00')", "1,234.50"],
    ["context.orders{id: total}", { "A-1": 12.5, "A-2": 7 }],
    ["context.orders ~> |$|{'seen': true}|", roots.context.orders.map((order) => ({ ...order, seen: true }))],
    ["$sort(context.orders, function($a, $b) { $a.total > $b.total }).id", ["A-2", "A-1"]],
    ["($add := function($a, $b) { $a + $b }; $one := $add(?, 1); $one(2))", 3],
    ["($trim ~> $uppercase)(' a ')", "A"],
    ["($half := $substring(?, 0, 2); $half('abc'))", "ab"],
    ["$string(context.when)", "2024-05-06"],
    ["$type($now('[Y]'))", "string"],
    ["$eval('1 + 1')", 2],
    ["nothing", null],
    ['"".constructor.constructor("return process")()', null],
    ["context.__proto__.polluted()", null],
    ["$sum.implementation.constructor", null],
    ["function($x) { $x }", null],
    ["{'f': $sum, 'a': 1}", { f: null, a: 1 }]
  ])("%s", async (source, expected) => assert.deepEqual(await evaluate(source, roots), expected))

  it("is not measured by what it reads", async () => {
    assert.strictEqual(await evaluate("$count(many)", long), 200_000)
    assert.strictEqual(await evaluate("$length(text & text)", long), 200_000)
  })
})

describe("the time and the chance of an evaluation", () => {
  it("are those that it is given, and the time stands still while it lasts", async () => {
    assert.strictEqual(await evaluate("$millis()"), moment.at)
    assert.strictEqual(await evaluate("$now()"), "2026-03-29T00:59:59.500Z")
    assert.strictEqual(await evaluate("$now('[Y0001]-[M01]-[D01]')"), "2026-03-29")
    assert.strictEqual(await evaluate("$toMillis('10:30', '[H01]:[m01]')"), Date.UTC(2026, 2, 29, 10, 30))
    assert.strictEqual(await evaluate("($sum([1..20000]); $millis())"), moment.at)
  })

  it("draw the same from the same seed, and something else from another", async () => {
    const list = { list: Array.from({ length: 50 }, (_, index) => index) }
    const [first, second] = [await evaluate("[$random(), $random()]"), await evaluate("[$random(), $random()]")]
    assert.deepStrictEqual(first, second)
    const [one, two] = first as ReadonlyArray<number>
    assert.notStrictEqual(one, two)
    assert.isTrue([one, two].every((drawn) => typeof drawn === "number" && drawn >= 0 && drawn < 1))
    const shuffled = (await evaluate("$shuffle(list)", list)) as ReadonlyArray<number>
    assert.deepStrictEqual(shuffled, await evaluate("$shuffle(list)", list))
    assert.notDeepEqual(shuffled, list.list)
    assert.sameMembers([...shuffled], list.list)
    const other = Expression.compile("$random()")
    if (Result.isFailure(other)) throw new Error(other.failure)
    assert.notStrictEqual(await Expression.evaluate(other.success, {}, { ...moment, seed: 8 }), one)
  })

  it("shuffle what the language shuffles", async () => {
    assert.deepStrictEqual(await evaluate("$shuffle([])"), [])
    assert.deepStrictEqual(await evaluate("$shuffle(1)"), [1])
    assert.isNull(await evaluate("$shuffle(nothing)"))
  })
})
