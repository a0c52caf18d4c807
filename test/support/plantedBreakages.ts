/**
 * A workflow on the demo site, and changes that break it, each of which a replay must find.
 */
import type { ReplayedContent } from "../../core/execution/replay/ReplayRun.ts"
import { graphOf, type Step } from "./browser.ts"

const text = (path: string) => ({ type: "string", path })

const rows = (columns: Readonly<Record<string, number>>) => ({
  type: "array",
  path: "//table[@id='orders']/tbody/tr",
  items: {
    type: "object",
    properties: Object.fromEntries(Object.entries(columns).map(([name, at]) => [name, text(`/td[${at}]`)]))
  }
})

const columns = { number: 1, date: 2, customer: 3, total: 5 }

const extract = (selector: string, properties: object): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { selector, extract_data_model: { type: "object", properties } }
})

const type = (selector: string, field: "USER_NAME" | "PASSWORD"): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector, text: `{{context.inputs.SITE.${field}}}` }
})

const click = (selector: string, expect?: object): Step => ({
  action: "CLICK",
  parameters: { selector, ...(expect === undefined ? {} : { expect: { wait_time: 2_000, conditions: [expect] } }) }
})

/** Signs in, shows the orders of a status, reads them, opens the first, and reads it. */
const steps: ReadonlyArray<Step> = [
  type("//input[@id='user']", "USER_NAME"),
  type("//input[@id='password']", "PASSWORD"),
  click("//button[@id='sign-in']", { type: "text", selector: "//h1", equals: "Orders" }),
  { action: "INPUT_SELECT", parameters: { selector: "//select[@id='status']", value: "{{context.inputs.status}}" } },
  click("//button[@id='filter']", { type: "address", contains: "status=" }),
  extract("//table[@id='orders']", { orders: rows(columns) }),
  click("//table[@id='orders']//tbody/tr[1]//a", { type: "element", selector: "//h1[@id='number']" }),
  extract("//table[@id='lines'][@data-loaded]", {
    customer: text("//dd[@id='customer']"),
    city: text("//dd[@id='city']"),
    article: text("//table[@id='lines']/tbody/tr[1]/td[1]")
  })
]

const bodyOf = (site: string, changed: ReadonlyArray<Step>) => ({
  ...graphOf(`${site}/login`, changed),
  input_schema: { type: "object", properties: { status: { type: "string" } } },
  output_schema: {},
  vault_schema: { SITE: { type: "credential", domain: site } }
})

/** The body of the workflow; its input is a `status`. */
export const intact = (site: string) => bodyOf(site, steps)

/** A change of a recorded workflow, by what it breaks. */
export interface Breakage {
  readonly name: string
  readonly of: (site: string, recorded: ReplayedContent) => ReplayedContent
}

const breakage = (name: string, change: () => ReadonlyArray<Step>, start = "/login"): Breakage => ({
  name,
  of: (site, recorded) => {
    const { edges, nodes } = graphOf(`${site}${start}`, change())
    // Parameters of steps are JSON, which their type does not say.
    return { ...recorded, nodes, edges } as ReplayedContent
  }
})

const replacing = (at: number, step: Step) => () => steps.with(at, step)

const parametersOf = (at: number) => steps[at]?.parameters ?? {}

const gone = steps.map((step, at) =>
  breakage(
    `the selector of step ${at + 1} matches nothing`,
    replacing(at, { ...step, parameters: { ...parametersOf(at), selector: "//b[@id='gone']" } })
  )
)

// Without the step that chooses a status, the form sends none; what is read without a step is not in the output.
const removed = steps.map((_, at) => breakage(`step ${at + 1} is removed`, () => steps.toSpliced(at, 1)))

const wrongColumns = Object.entries({ number: 2, date: 3, customer: 4, total: 1 }).map(([name, at]) =>
  breakage(
    `${name} is read from column ${at}`,
    replacing(5, extract("//table[@id='orders']", { orders: rows({ ...columns, [name]: at }) }))
  )
)

const reading = (properties: object) =>
  replacing(7, extract("//table[@id='lines'][@data-loaded]", { ...modelOf(7), ...properties }))

const modelOf = (at: number): object => {
  const { extract_data_model: model } = parametersOf(at) as { extract_data_model?: { properties: object } }
  return model?.properties ?? {}
}

const expecting = (at: number, selector: string, condition: object) => replacing(at, click(selector, condition))

const others: ReadonlyArray<Breakage> = [
  breakage("the city is read from the date", reading({ city: text("//dd[@id='date']") })),
  breakage(
    "the article is read from the second line",
    reading({ article: text("//table[@id='lines']/tbody/tr[2]/td[1]") })
  ),
  breakage("the customer is read from nowhere", reading({ customer: text("//dd[@id='client']") })),
  breakage(
    "the sign-in expects another heading",
    expecting(2, "//button[@id='sign-in']", { type: "text", selector: "//h1", equals: "Welcome" })
  ),
  breakage(
    "the filter expects another address",
    expecting(4, "//button[@id='filter']", { type: "address", contains: "filter=" })
  ),
  breakage(
    "the order is expected to be absent",
    expecting(6, "//table[@id='orders']//tbody/tr[1]//a", {
      type: "element",
      selector: "//h1[@id='number']",
      state: "absent"
    })
  ),
  breakage(
    "another status is chosen",
    replacing(3, { action: "INPUT_SELECT", parameters: { selector: "//select[@id='status']", value: "cancelled" } })
  ),
  breakage(
    "the password is typed as the user name",
    replacing(1, { action: "INPUT_TEXT", parameters: { selector: "//input[@id='user']", text: "someone" } })
  ),
  breakage(
    "the second order is opened",
    expecting(6, "//table[@id='orders']//tbody/tr[2]//a", { type: "element", selector: "//h1[@id='number']" })
  ),
  breakage("it starts at an address that no run knows", () => steps, "/start")
]

/** All of them. */
export const breakages: ReadonlyArray<Breakage> = [...gone, ...removed, ...wrongColumns, ...others]
