import { assert, describe, it } from "@effect/vitest"
import {
  type Cell,
  cellOf,
  clickOn,
  eachRow,
  identifier,
  inputOf,
  loopOf,
  proposed,
  readingOf,
  rowsOf,
  sourceFor,
  sourcesOf,
  standsForLoop,
  vaultSourcesOf
} from "../../../apps/console/author/AuthorModel.ts"
import type { PageTarget } from "../../../apps/console/author/Conversation.ts"

const target = (given: Partial<PageTarget>): PageTarget => ({
  kind: "read",
  role: "td",
  name: "",
  secret: false,
  code: false,
  options: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  selectors: [{ selector: "//td", matches: 1 }],
  row: null,
  heading: null,
  ...given
})

const inRow = (path: string, heading: string): PageTarget =>
  target({
    heading,
    row: { selector: "//table/tbody/tr[td]", matches: 6, path },
    selectors: [{ selector: path, matches: 1 }]
  })

const cells = (targets: ReadonlyArray<PageTarget>): ReadonlyArray<Cell> => {
  const all: Array<Cell> = []
  for (const one of targets) all.push(cellOf(one, all))
  return all
}

describe("what is pointed at", () => {
  it("is found by the first selector that leads to it alone", () => {
    const selectors = [
      { selector: "//a", matches: 3 },
      { selector: "//a[@id='x']", matches: 1 }
    ]
    assert.strictEqual(proposed(target({ selectors })), "//a[@id='x']")
    assert.deepStrictEqual(clickOn(target({ name: "Next", role: "link" }), "//a").name, "Click Next")
  })

  it("is typed from the input that is called like the field, and a password from a credential first", () => {
    const sources = sourcesOf({
      vault_schema: { LOGIN: { type: "credential" } },
      input_schema: { properties: { customer_name: {}, city: {} } }
    })
    assert.strictEqual(sourceFor({ name: "Customer name", secret: false }, sources), "{{context.inputs.customer_name}}")
    assert.strictEqual(sourceFor({ name: "Secret", secret: true }, sources), "{{context.inputs.LOGIN.PASSWORD}}")
    assert.strictEqual(sourceFor({ name: "Street", secret: false }, sources), "")
  })

  it("gets names that can be written in expressions, each once", () => {
    assert.strictEqual(identifier("Número total (€)", "x"), "numero_total")
    assert.strictEqual(identifier("2026-09", "x"), "x")
    assert.strictEqual(identifier("1st order", "x"), "_1st_order")
    const names = cells([inRow("/td[1]", "Total"), inRow("/td[2]", "Total")]).map(({ name }) => name)
    assert.deepStrictEqual(names, ["total", "total_2"])
  })
})

describe("data that is read", () => {
  it("is a list where all values are of the rows of one", () => {
    const chosen = cells([inRow("/td[1]/a", "Order"), inRow("/td[5]", "Total")])
    const { parameters } = readingOf({ cells: chosen, list: "orders", isEvery: true })
    assert.deepStrictEqual(parameters.extract_data_model, {
      type: "object",
      properties: {
        orders: {
          type: "array",
          path: "//table/tbody/tr[td]",
          items: {
            type: "object",
            properties: { order: { type: "string", path: "/td[1]/a" }, total: { type: "string", path: "/td[5]" } }
          }
        }
      }
    })
  })

  it("is one value each where they are of no list together", () => {
    const chosen = cells([
      inRow("/td[1]", "Order"),
      target({ name: "Orders", selectors: [{ selector: "//h1", matches: 1 }] })
    ])
    assert.isNull(rowsOf(chosen))
    assert.deepStrictEqual(readingOf({ cells: chosen, list: "x", isEvery: true }).parameters.extract_data_model, {
      type: "object",
      properties: { order: { type: "string", path: "/td[1]" }, orders: { type: "string", path: "//h1" } }
    })
  })
})

describe("what is done again as a loop", () => {
  it("is a loop over a list or over pages, and no other check in one", () => {
    // A check within a loop over a list, which then reads pages.
    const edges = {
      start: { to: "loop" },
      loop: { loop_not_done: "check", loop_done: "read" },
      check: { true: "click", false: "loop" },
      click: { to: "loop" },
      read: { to: "more" },
      more: { true: "next", false: "end" },
      next: { to: "read" }
    }
    const steps = ["start", "loop", "check", "click", "read", "more", "next", "end"]
    const action = (id: string) => (id === "loop" ? "LOOP" : "OTHER")
    assert.deepStrictEqual(
      steps.filter((id) => standsForLoop({ id, action: action(id) }, edges)),
      ["loop", "more"]
    )
  })
})

describe("a loop over a list", () => {
  const cell = inRow("/td[1]/a", "Order")
  const [reading, loop] = eachRow(cell, { nodes: [] })
  const draft = {
    nodes: [
      { ...reading, id: "read" },
      { ...loop, id: "loop" }
    ] as never,
    loop: "loop"
  }

  it("reads the rows first, unless a step did, and has names that no other loop has", () => {
    assert.deepStrictEqual([reading?.action, loop?.action, loop?.name], ["EXTRACT_DATAMODEL", "LOOP", "For each row"])
    assert.strictEqual(loop?.parameters.variable_over, "{{context.rows}}")
    const [inner, ...others] = eachRow(cell, draft)
    assert.isEmpty(others)
    assert.strictEqual(inner?.parameters.variable_current_item, "row_2")
  })

  it("reads the rows of the page alone where a step gathers those of all pages, with the same values", () => {
    const gathering = readingOf({
      cells: cells([inRow("/td[1]/a", "Order"), inRow("/td[2]", "Total")]),
      list: "orders",
      isEvery: true
    })
    const [own, around] = eachRow(cell, { nodes: [{ ...gathering, id: "read" }] as never })
    const model = own?.parameters.extract_data_model as {
      readonly overwriteArrayKeys: unknown
      readonly properties: object
    }
    assert.deepInclude(model, { overwriteArrayKeys: ["rows"] })
    assert.deepInclude(Object.values(model.properties)[0], {
      path: "//table/tbody/tr[td]",
      items: {
        type: "object",
        properties: { order: { type: "string", path: "/td[1]/a" }, total: { type: "string", path: "/td[2]" } }
      }
    })
    assert.strictEqual(around?.parameters.variable_over, "{{context.rows}}")
  })

  it("finds an element of a row in the row of the turn, and reads one entry a turn", () => {
    const recorded = loopOf(draft)
    assert.isNull(loopOf({ ...draft, loop: null }))
    const selector = "(//table/tbody/tr[td])[{{context.runtime.row_number + 1}}]/td[1]/a"
    assert.strictEqual(proposed(cell, recorded), selector)
    assert.strictEqual(clickOn(cell, selector).name, "Click the order of each row")
    const title = target({ name: "Total", selectors: [{ selector: "/html/body/h1", matches: 1 }] })
    const { parameters } = readingOf({ cells: cells([title]), list: "details", isEvery: true }, recorded)
    assert.deepStrictEqual(parameters.extract_data_model, {
      type: "object",
      properties: {
        details: {
          type: "array",
          path: "/html",
          items: { type: "object", properties: { total: { type: "string", path: "/body/h1" } } }
        }
      }
    })
    const [source] = sourcesOf({ input_schema: {}, vault_schema: {} }, recorded)
    assert.deepStrictEqual(source, {
      word: "order of each row",
      expression: "{{context.runtime.row.order}}",
      adds: null
    })
  })
})

describe("what differs from run to run", () => {
  it("becomes an input under a name that is free", () => {
    const draft = { input_schema: { properties: { city: {} } }, vault_schema: {} }
    assert.deepStrictEqual(inputOf({ name: "City" }, "Bad Ems", draft), {
      name: "city_2",
      expression: "{{context.inputs.city_2}}",
      adds: "input city_2 = Bad Ems"
    })
  })

  it("is taken from the credentials of the vault for the site of the page alone", () => {
    const draft = { input_schema: {}, vault_schema: {} }
    const entries = [
      { domain: "https://bank.example", permissioned_user_id: "clerk" },
      { domain: "https://evilbank.example", permissioned_user_id: "thief" }
    ]
    const sources = vaultSourcesOf(entries, "https://www.bank.example/in", draft)
    assert.deepStrictEqual(
      sources.map(({ adds }) => adds),
      Array(2).fill("credential CLERK https://www.bank.example = clerk")
    )
    assert.strictEqual(sources[1]?.expression, "{{context.inputs.CLERK.PASSWORD}}")
    const used = { ...draft, vault_schema: { CLERK: { type: "credential", domain: "https://www.bank.example" } } }
    assert.isEmpty(vaultSourcesOf(entries, "https://www.bank.example/in", used))
    assert.isEmpty(vaultSourcesOf(entries, "about:blank", draft))
  })
})
