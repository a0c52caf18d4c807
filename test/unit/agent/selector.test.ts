import { assert, describe, it } from "@effect/vitest"
import * as Selector from "../../../core/browser/element/Selector.ts"
import * as SelectorSyntax from "../../../core/workflow/language/graph/SelectorSyntax.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What reading the selectors may cost, in fixed works. */
const most = 10

const xpath = (text: string) => {
  const selector = Selector.parse(text)
  if (selector.kind !== "xpath") throw new Error(`${text} is ${selector.kind}`)
  return selector
}

describe("a selector", () => {
  it("is an XPath unless it says otherwise", () => {
    assert.strictEqual(xpath("//a").query.plain, "//a")
    assert.strictEqual(xpath("xpath=//a").query.plain, "//a")
    for (const named of ["css=a", "role=button[name='x']", "text=Hello"]) {
      assert.deepStrictEqual(Selector.parse(named), { kind: "named", text: named })
    }
  })

  it("is read soon, and refused above its limit of length", () => {
    const read = () => {
      for (const text of ["/a".repeat(4_900), `//a[${"@b='c' or ".repeat(900)}@d]`]) {
        assert.lengthOf(xpath(text).frames, 0)
      }
      for (const text of ["/a".repeat(200_000), `css=${"a ".repeat(200_000)}`]) {
        assert.deepInclude(Selector.parse(text), { kind: "refused", reason: "it is longer than 10000 characters" })
        assert.isString(SelectorSyntax.check(text))
      }
    }
    assert.isBelow(RelativeCost.least(most, read), most)
  })

  it("is not evaluated when it names functions of the engine's own", () => {
    for (const text of [
      "fontoxpath:fetch('http://x/')",
      "//a[fontoxpath:evaluate(.)]",
      "Q{http://fontoxml.com/fontoxpath}fetch('x')"
    ]) {
      assert.strictEqual(Selector.parse(text).kind, "refused", text)
    }
    assert.strictEqual(Selector.parse("//a[.='fontoxpath:fetch']").kind, "xpath")
  })

  it.each([
    ["//iframe[@id='a']//button", ["//iframe[@id='a']"], "//button"],
    ["//iframe[@id='a/b[c]']/html/body/p[1]", ["//iframe[@id='a/b[c]']"], "/html/body/p[1]"],
    ["//div/iframe[1]//iframe[2]//b", ["//div/iframe[1]", "//iframe[2]"], "//b"],
    ["(//iframe)[2]//button", ["(//iframe)[2]"], "//button"],
    ["//frame[@name='x']//a", ["//frame[@name='x']"], "//a"],
    ["//iframe", [], "//iframe"],
    ["//div[iframe/p]//b", [], "//div[iframe/p]//b"],
    ["//iframe//a | //b", [], "//iframe//a | //b"],
    ["//a[@class='iframe']/b", [], "//a[@class='iframe']/b"],
    ["count(//iframe//a)", [], "count(//iframe//a)"]
  ])("%s crosses frames", (text, frames, rest) => {
    const selector = xpath(text)
    assert.deepStrictEqual(
      selector.frames.map(({ plain }) => plain),
      frames
    )
    assert.strictEqual(selector.query.plain, rest)
  })

  it.each([
    ["//a", 0],
    ["//a[@href='//x']", 0],
    ["//div[.//span[text()='x']]", 0],
    ["//a[count(//b) > 1]", 1],
    ["//*[//*[//*]]", 2],
    ["//*[following::*[preceding::*]]", 2],
    ["//a[following-sibling::b]", 0],
    ["//label[@for = //input/@id]", 1]
  ])("%s walks over the document %i times for each element", (text, weight) => {
    assert.strictEqual(xpath(text).query.weight, weight)
  })

  it.each([
    ["//a", "/descendant::a"],
    ["//DIV/SPAN[@Id='X']", "/descendant::div/span[@Id='X']"],
    ["//a[1]", "//a[1]"],
    ["//a[last()]", "//a[last()]"],
    ["//a[position() = 2]", "//a[position() = 2]"],
    [
      "//tr[lower-case(@class) = 'row']//td[contains(., '//b')]",
      "/descendant::tr[lower-case(@class) = 'row']/descendant::td[contains(., '//b')]"
    ],
    ["//a[matches(., 'x')][2]", "//a[matches(., 'x')][2]"],
    ["//a[count(b)]", "//a[count(b)]"],
    ["//@href", "//@href"],
    ["//text()", "//text()"],
    ["//ancestor::a", "//ancestor::a"]
  ])("%s is %s for the engine of XPath 3.1", (text, modern) => {
    assert.strictEqual(xpath(text).query.modern, modern)
  })

  it.each([
    ["/td[1]", "./td[1]"],
    ["//td", ".//td"],
    ["./td", "./td"],
    ["td/a", "td/a"],
    ["lower-case(/td[2]/text())", "lower-case(./td[2]/text())"],
    ["/td[1] | /th[1]", "./td[1] | ./th[1]"],
    ["/td[. = //h1]", "./td[. = //h1]"],
    ["string-join(/td/text(), '/')", "string-join(./td/text(), '/')"],
    ["/td/a/@href", "./td/a/@href"]
  ])("%s in a row is %s", (text, relative) => {
    assert.strictEqual(Selector.relative(text), relative)
  })

  it.each<readonly [path: string, positioned: boolean]>([
    ["/td[1]", true],
    ["(//a)[1]", true],
    ["//li[last()]", true],
    ["//li[position() = 2]", true],
    ["//li[@class='x'][1]", true],
    ["//li[1][@class='x']", true],
    ["/td[2]/@href", true],
    ["//td[2]/text()", true],
    ["./td[1]//text()", true],
    ["//tr[1]/td", false],
    ["//li[@class='x']", false],
    ["//li[contains(., '1')]", false],
    ["//li[count(a) = 1]", false],
    ["//a[text()]/@href", false],
    ["//a", false],
    [".", false],
    ["css=li:nth-child(2)", true],
    ["css=ul li:first-of-type", true],
    ["css=ul:first-child li", false],
    ["css=li.row", false]
  ])("%s names one element by its position: %s", (path, positioned) => {
    assert.strictEqual(Selector.isPositioned(path), positioned)
  })
})

describe("a path in a row that counts cells", () => {
  it.each([
    ["/td[2]", { counts: "td", is: null, at: 2, rest: "" }],
    ["./td[2]", { counts: "td", is: null, at: 2, rest: "" }],
    ["TD[ 2 ]", { counts: "td", is: null, at: 2, rest: "" }],
    ["xpath=./child::th[1]", { counts: "th", is: null, at: 1, rest: "" }],
    ["*[3]", { counts: null, is: null, at: 3, rest: "" }],
    ["/td[2]/a/@href", { counts: "td", is: null, at: 2, rest: "./a/@href" }],
    ["/td[2]//a[@class='x / y']/b", { counts: "td", is: null, at: 2, rest: ".//a[@class='x / y']/b" }],
    ["/td[2]//text()", { counts: "td", is: null, at: 2, rest: ".//text()" }],
    ["css=td:nth-child(2)", { counts: null, is: "td", at: 2, rest: "" }],
    ["css=:scope > td:nth-child(2) > a", { counts: null, is: "td", at: 2, rest: "css=:scope > a" }],
    ["css=:nth-child(2) b", { counts: null, is: null, at: 2, rest: "css=:scope b" }]
  ] as const)("%s is %j", (path, cell) => assert.deepStrictEqual(Selector.cellOf(path), cell))

  it.each([
    ["//td[2]"],
    ["/td[last()]"],
    ["/td[2][@class='x']"],
    ["/td"],
    ["/td[@id='2']"],
    ["//tr[1]/td[2]"],
    ["/td[1] | /th[1]"],
    ["/td[1]/a | /th[1]"],
    ["/td[1]/a = /td[2]"],
    ["css=td:nth-child(2n)"],
    ["css=td:nth-child(2), th"],
    ["css=tr td:nth-child(2)"]
  ])("%s counts none", (path) => assert.isNull(Selector.cellOf(path)))
})
