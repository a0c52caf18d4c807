/** Steps of a draft that are pointed at anew. */
import { assert, describe, it } from "@effect/vitest"
import type { Node } from "../../../apps/console/author/Column.ts"
import type { PageTarget } from "../../../apps/console/author/Conversation.ts"
import * as ListColumns from "../../../apps/console/author/ListColumns.ts"
import { nearest } from "../../../apps/console/author/Nearest.ts"
import { findingAlike } from "../../../apps/console/author/StepModel.ts"

const element = (name: string, selectors: ReadonlyArray<string>, given: Partial<PageTarget> = {}): PageTarget => ({
  kind: "press",
  role: "button",
  name,
  secret: false,
  code: false,
  options: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  selectors: selectors.map((selector) => ({ selector, matches: 1 })),
  row: null,
  heading: null,
  ...given
})

const step = (id: string, action: string, parameters: object, name = id): Node => ({ id, name, action, parameters })

describe("the nearest elements", () => {
  const page = [
    element("Alle annehmen", ["//button[.='Alle annehmen']", "/html/body/div/button"]),
    element("Anmelden", ["//button[.='Anmelden']", "/html/body/form/button"]),
    element("Sign in to another account", ["//a[.='Sign in to another account']", "/html/body/p/a"], { role: "link" }),
    element("Benutzer", ["//input[@name='user']", "/html/body/form/p[1]/label/input"], { kind: "type" }),
    element("Passwort", ["//input[@name='password']", "/html/body/form/p[2]/label/input"], { kind: "type" })
  ]
  it.each([
    ["by what they say", step("a", "CLICK", { selector: "//button[.='Sign in']" }), "Sign in to another account"],
    ["by their names", step("a", "INPUT_TEXT", { selector: "//div/input[@name='password']" }), "Passwort"],
    ["by where they are", step("a", "CLICK", { selector: "/html/body/main/form/button" }, "Go on"), "Anmelden"],
    [
      "of any kind for a condition",
      step("a", "BOOL_CONDITION", { comparison_value_1: "<<xpath://input[@name='user']>>" }),
      "Benutzer"
    ]
  ])("come first %s", (_, node, first) => {
    const found = nearest(node, page)
    assert.strictEqual(found[0]?.name, first)
    assert.isAtMost(found.length, 3)
  })

  it("are of the kind that the step acts on, and none for a step that finds nothing", () => {
    const typed = nearest(step("a", "INPUT_TEXT", { selector: "//input[@name='login']" }), page)
    assert.deepStrictEqual(
      typed.map(({ kind }) => kind),
      ["type", "type"]
    )
    assert.deepStrictEqual(nearest(step("a", "DELAY", { delay_time: 1 }), page), [])
  })
})

it("steps that find the same element are those with its selector, by whatever they do with it", () => {
  const nodes = [
    step("check", "BOOL_CONDITION", { comparison_value_1: "<<xpath://a[.='Next']>>" }),
    step("click", "CLICK", { selector: "//a[.='Next']" }),
    step("other", "CLICK", { selector: "//a" })
  ]
  assert.deepStrictEqual(
    findingAlike(nodes[1] as Node, nodes).map(({ id }) => id),
    ["check", "click"]
  )
})

describe("a column of a list", () => {
  const rows = "//table/tbody/tr[td]"
  const read = step("read", "EXTRACT_DATAMODEL", {
    selector: rows,
    expect: { conditions: [{ type: "element", selector: rows }] },
    extract_data_model: {
      type: "object",
      properties: {
        rows: {
          type: "array",
          path: rows,
          items: {
            type: "object",
            properties: { total: { type: "number", path: "/td[2]" }, file: { type: "string", path: "/td[3]/a/@href" } }
          }
        }
      }
    }
  })
  const click = step("click", "CLICK", { selector: `(${rows})[{{context.runtime.n + 1}}]/td[3]/a` })
  const [total, file] = ListColumns.columnsOf(read)
  const cell = (selector: string, path: string) =>
    element("25", [], { kind: "read", role: "td", row: { selector, matches: 4, path } })
  if (total === undefined || file === undefined) throw new Error("no columns")

  it("is read at another place of the same rows, and stays the attribute that it was", () => {
    const place = ListColumns.placeOf(total, cell(rows, "/td[4]"))
    assert.deepStrictEqual(place, { rows, path: "/td[4]" })
    assert.deepStrictEqual(ListColumns.placeOf(file, cell(rows, "/td[1]/a")), { rows, path: "/td[1]/a/@href" })
    const changed = ListColumns.pointedAnew([read, click], "read", total, { rows, path: "/td[4]" })
    assert.deepStrictEqual(Object.keys(changed), ["read"])
    assert.deepStrictEqual(
      ListColumns.columnsOf(changed.read as Node).map(({ path }) => path),
      ["/td[4]", "/td[3]/a/@href"]
    )
  })

  it("is read from other rows, which the steps in a row follow", () => {
    const place = ListColumns.placeOf(total, cell("//ul/li", "/b"))
    assert.deepStrictEqual(place, { rows: "//ul/li", path: "/b" })
    const changed = ListColumns.pointedAnew([read, click], "read", total, { rows: "//ul/li", path: "/b" })
    assert.deepStrictEqual(changed.click?.parameters, { selector: "(//ul/li)[{{context.runtime.n + 1}}]/td[3]/a" })
    assert.notInclude(JSON.stringify(changed), rows)
  })

  it("is nowhere for an element outside of lists", () => {
    assert.isNull(ListColumns.placeOf(total, element("Title", ["/html/body/h1"])))
  })
})
