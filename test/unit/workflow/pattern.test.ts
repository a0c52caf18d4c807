import { assert, describe, it } from "@effect/vitest"
import * as SafePattern from "../../../core/workflow/language/expression/SafePattern.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What all the texts may cost, in fixed works. A pattern that backtracks takes years. */
const most = 5

/** Patterns as people write them. */
const harmless: ReadonlyArray<string> = [
  "^\\d{10}$",
  "^(\\d+,)*\\d+$",
  "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
  "^([a-zA-Z0-9._%+-]+)@([a-zA-Z0-9.-]+)\\.([a-zA-Z]{2,})$",
  "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$",
  "^https?://[\\w.-]+(:\\d+)?(/.*)?$",
  "^[A-Z]{2}\\d{2}[A-Z0-9]{1,30}$",
  "^(foo|far|fun)$",
  "^\\p{L}+$",
  "^[^\\p{L}]*$",
  "^[A-Za-z0-9+/]+=*$",
  "^.{1,10}-.{1,10}$",
  "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$",
  "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
  "^\\(?\\d{3}\\)?[-. ]?\\d{3}[-. ]?\\d{4}$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
  "^(?<area>\\d{3})-(?<rest>\\d+)$",
  "^(ab?)*$",
  "[\\u{1F600}-\\u{1F64F}]",
  "\\bfoo\\b",
  "",
  "^$"
]

/** Patterns that some text makes endless, or nearly so. */
const evil: ReadonlyArray<string> = [
  "(a+)+$",
  "^(a|a)*$",
  "^(a|aa)+$",
  "^(a|b|ab)*c$",
  "^(.+)+$",
  "^([a-z]+)*$",
  "^(\\w+\\s?)*$",
  "(x+x+)+y",
  "(.|\\n)*x",
  "(.*a){20}",
  "(a?){25}a{25}",
  "(a?){100,}b",
  "^((a{1,50}){1,50}){1,50}$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^.*a.*b.*c.*d$",
  "^(?=(a+)+$)",
  "^((?=.*x).)*$",
  "(\\w)\\1",
  "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)$",
  `^${"a?".repeat(100)}${"a".repeat(100)}$`,
  "(",
  `^${"(ab|cd)*e".repeat(200)}$`
]

/** Texts that make trying expensive. */
const attacks = ["a", "ab", "x", " ", "1,", "a.", "A1", "0", "@a", "a\n"].map((part) => `${part.repeat(2_000)}\u0001`)

describe("a pattern", () => {
  it.each(harmless)("%s is taken, and quick whatever it is tried on", (pattern) => {
    assert.isNull(SafePattern.check(pattern))
    const compiled = SafePattern.compile(pattern, "u")
    const use = () => attacks.map((text) => compiled.test(text))
    assert.isBelow(RelativeCost.least(most, use), most)
  })

  it.each(harmless)("%s means what it means to the language", (pattern) => {
    const [own, theirs] = [SafePattern.compile(pattern, "u"), new RegExp(pattern, "u")]
    for (const text of ["", "a", "1234567890", "12,34", "a@b.co", "Aa1bbbbb", "foo", "10.0.0.1", "a-b", "2026-01-31"]) {
      assert.strictEqual(own.test(text), theirs.test(text))
    }
  })

  it.each(evil)("%s is refused, with the reason", (pattern) => {
    assert.match(SafePattern.check(pattern) ?? "", /^Cannot use the pattern /)
  })

  it("that costs the square of the length is tried on short texts only", () => {
    const compiled = SafePattern.compile("\\d+x", "u")
    assert.isTrue(compiled.test(`${"1".repeat(4_095)}x`))
    assert.isFalse(compiled.test(`${"1".repeat(4_096)}x`))
  })

  it("that costs no more than the length is tried on texts of any length", () => {
    assert.isTrue(SafePattern.compile("^\\d+$", "u").test("1".repeat(1_000_000)))
  })
})
