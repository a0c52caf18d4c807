/** Windows, workflows, components and expressions as people write them, to be saved as they are or changed first. */
import { type Draw, pick } from "../support/JsonSchema.ts"

const whole = (draw: Draw, most: number) => Math.floor(draw() * (most + 1))
const some = <A>(draw: Draw, most: number, one: (index: number) => A): Array<A> =>
  Array.from({ length: whole(draw, most) }, (_, index) => one(index))
const sometimes = <A extends object>(draw: Draw, share: number, fields: () => A): A | object =>
  draw() < share ? fields() : {}

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Antarctica/Troll",
  "Etc/GMT+12"
]
const rules = [
  "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",
  "FREQ=MONTHLY;BYDAY=-1FR",
  "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE",
  "FREQ=DAILY;COUNT=10",
  "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
  "FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=7",
  "FREQ=YEARLY;BYDAY=5MO;BYMONTH=2",
  "FREQ=DAILY;INTERVAL=9999",
  "FREQ=DAILY;UNTIL=20300101",
  "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
  "RRULE:FREQ=DAILY",
  "FREQ=SECONDLY",
  "FREQ=DAILY;COUNT=99999999999999999999",
  "FREQ=DAILY;FREQ=DAILY",
  "FREQ=YEARLY;BYSETPOS=-1;BYMONTHDAY=1,2,3",
  "FREQ=YEARLY;BYMONTHDAY=29;BYMONTH=2;INTERVAL=100"
]

const time = (draw: Draw) => ({
  hours: whole(draw, 23),
  ...sometimes(draw, 0.7, () => ({ minutes: pick([0, 1, 30, 59], draw) }))
})
const date = (draw: Draw) => ({
  year: pick([1, 1582, 1969, 2024, 2026, 2027, 2100, 9999], draw),
  month: 1 + whole(draw, 11),
  day: draw() < 0.1 ? pick([0, 29, 30, 31, 32], draw) : 1 + whole(draw, 27)
})

/** A run window, most of them in order. */
export const window = (draw: Draw) => ({
  time_zone: draw() < 0.05 ? pick(["+05:30", "europe/berlin", "Etc/Nowhere"], draw) : pick(zones, draw),
  regular_hours: days
    .filter(() => draw() < 0.7)
    .map((day) => ({
      active_start_day: day,
      active_start_time: time(draw),
      active_end_day: draw() < 0.1 ? (days[(days.indexOf(day) + 1) % 7] ?? day) : day,
      active_end_time: draw() < 0.03 ? { hours: 24 } : { hours: 23, minutes: 59 }
    })),
  ...sometimes(draw, 0.6, () => ({ special_hours: some(draw, 6, () => special(draw)) }))
})

const special = (draw: Draw) => {
  const active = draw() < 0.5
  return {
    active,
    ...sometimes(draw, 0.5, () => ({ label: "Holiday" })),
    ...(draw() < 0.5
      ? { start_date: date(draw), ...sometimes(draw, 0.2, () => ({ end_date: date(draw) })) }
      : { recurrence: pick(rules, draw), ...sometimes(draw, 0.9, () => ({ recurrence_start: date(draw) })) }),
    ...sometimes(draw, active ? 0.95 : 0.05, () => ({ active_start_time: time(draw), active_end_time: { hours: 23 } }))
  }
}

const names = ["context.inputs.npi", "context.inputs.list[0]", "inputs.npi", "$", "x"]

/** Text of the expression language, most of it in order. */
export const expression = (draw: Draw, depth = 0): string => {
  if (depth > 4 || draw() < 0.25) return pick([...names, "1", "'a'", "true", "null", "[]", "{}", "-0", "1e300"], draw)
  const inner = () => expression(draw, depth + 1)
  return pick<() => string>(
    [
      () => `${inner()} & ${inner()}`,
      () => `${inner()} ${pick(["+", "-", "*", "/", "%", "=", "!=", "<", "in", "and", "or"], draw)} ${inner()}`,
      () => `(${inner()})`,
      () => `[${inner()}, ${inner()}]`,
      () => `{"a": ${inner()}}`,
      () => `${inner()} ? ${inner()} : ${inner()}`,
      () =>
        `$${pick(["uppercase", "string", "number", "count", "sum", "keys", "length", "not", "type", "spread", "eval"], draw)}(${inner()})`,
      () => `$map(${inner()}, function($v, $i) { ${inner()} })`,
      () => `$filter([1..20], function($v) { ${inner()} })`,
      () => `$reduce([1..9], function($a, $v) { ${inner()} })`,
      () => `$sort(${inner()}, function($l, $r) { ${inner()} })`,
      () => `$replace(${inner()}, /a(b)?/, "$1")`,
      () => `$pad(${inner()}, ${whole(draw, 300)}, "xy")`,
      () => `[1..${pick([0, 10, 1_000, 100_000, 99_999_999], draw)}]`,
      () => `($f := function($n) { $n < 1 ? 0 : $f($n - 1) }; $f(${whole(draw, 5_000)}))`,
      () => `${inner()}[${inner()}]`,
      () => `${inner()}.${inner()}`,
      () => `${inner()}{${inner()}: ${inner()}}`,
      () => `${inner()} ~> |$|{"a": ${inner()}}|`,
      () => `$lookup(${inner()}, "${pick(["constructor", "__proto__", "a", "toString"], draw)}")`,
      () => `$fromMillis(${whole(draw, 1e9)}, "[Y0001]-[M01]")`,
      () => `$formatNumber(${inner()}, "#,##0.00")`
    ],
    draw
  )()
}

/** A text with expressions in it, most of them in order. */
export const template = (draw: Draw): string => {
  if (draw() < 0.05) return pick(["{{", "{{ ( }}", "}}{{", "{{}}"], draw)
  // Two closing braces in an expression would end it.
  const inner = () => expression(draw).replaceAll("}}", "} }").replaceAll("{{", "{ {")
  return pick<() => string>(
    [
      () => "plain",
      () => `{{ ${inner()} }}`,
      () => `a {{ ${inner()} }} b {{${pick(names, draw)}}}`,
      () => "{{context.inputs.npi}}"
    ],
    draw
  )()
}

/** A selector, most of them in order. */
export const selector = (draw: Draw): string =>
  pick(
    draw() < 0.1
      ? ["//div[", "css=[[", "", "//*[@a=']", "css="]
      : [
          "//button",
          "//button[@id='go']",
          "//*[contains(text(), 'Order {{context.inputs.npi}}')]",
          "css=#go",
          "css=main > .row:nth-child(2n+1)",
          "//a/following-sibling::b[last()]",
          "(//input)[1]",
          "xpath=//div",
          "css=:has(:is(a, b) > c)",
          `//a[${"not(".repeat(40)}1${")".repeat(40)}]`,
          `css=${":not(".repeat(40)}a${")".repeat(40)}`,
          "id('x')"
        ],
    draw
  )

const schemas = (draw: Draw, depth = 0): object => {
  if (depth > 3) return { type: "string" }
  return pick<() => object>(
    [
      () => ({ type: "string", minLength: whole(draw, 3) }),
      () => ({ type: "string", pattern: pick(["^\\d{10}$", "^a+$", "(?<n>a)", "\\p{L}"], draw) }),
      () => ({ type: "integer", minimum: 0, maximum: whole(draw, 9) }),
      () => ({ type: ["string", "null"], enum: ["a", null] }),
      () => ({ type: "array", items: schemas(draw, depth + 1), maxItems: 5 }),
      () => ({
        type: "object",
        properties: { a: schemas(draw, depth + 1), npi: { type: "string" } },
        required: ["npi"],
        additionalProperties: draw() < 0.5
      }),
      () => ({ anyOf: [schemas(draw, depth + 1), { type: "null" }] }),
      () => ({ type: "string", format: pick(["date", "uuid", "email"], draw) }),
      () => ({ const: 1 }),
      () => ({})
    ],
    draw
  )()
}

const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

/** One step, by what its action needs. */
const steps: ReadonlyArray<(draw: Draw) => { readonly action: string; readonly parameters: object }> = [
  (draw) => ({ action: "NAVIGATE", parameters: { url: pick(["https://a.example/", "/x", template(draw)], draw) } }),
  (draw) => ({ action: "CLICK", parameters: { execution: "STATIC", selector: selector(draw) } }),
  (draw) => ({
    action: "INPUT_TEXT",
    parameters: { execution: "STATIC", selector: selector(draw), input_variable: template(draw), text: template(draw) }
  }),
  (draw) => ({ action: "DELAY", parameters: { delay_time: pick([0, 1, 0.5, 60], draw) } }),
  (draw) => ({
    action: "TRANSFORM",
    parameters: {
      operations: [
        {
          type: pick(["SET", "MERGE", "APPEND"], draw),
          target: pick(["context.orders", "context.a.b", "context.total"], draw),
          value: expression(draw)
        }
      ]
    }
  }),
  (draw) => ({ action: "SCREENSHOT", parameters: { full_page: draw() < 0.5 } }),
  (draw) => ({ action: "SCROLL", parameters: { direction: pick(["up", "down"], draw) } }),
  (draw) => ({
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      extract_data_model: {
        type: "object",
        properties: { a: { type: "string", path: selector(draw) }, b: { type: "array", items: { type: "string" } } }
      }
    }
  }),
  (draw) => ({
    action: "API_FLOW",
    parameters: {
      steps: [
        { id: "one", method: "GET", url: "https://api.example/x" },
        { id: "two", method: "POST", url: template(draw), body: { type: "text", value: template(draw) } }
      ]
    }
  })
]

/** A workflow whose steps follow each other, with branches and loops here and there. */
export const workflow = (draw: Draw) => {
  const middle = some(draw, 8, () => pick(steps, draw)(draw))
  const all: ReadonlyArray<{ readonly action: string; readonly parameters: object }> = [
    { action: "START", parameters: { url: "https://a.example/" } },
    ...middle,
    { action: "END", parameters: {} }
  ]
  const nodes: Array<object> = all.map((step, index) => ({ id: uuid(index), name: `${step.action} ${index}`, ...step }))
  const edges: Record<string, object> = Object.fromEntries(
    all.slice(0, -1).map((_, index) => [uuid(index), { to: uuid(index + 1) }])
  )
  if (draw() < 0.4 && middle.length > 1) {
    const at = 1 + whole(draw, middle.length - 2)
    nodes[at] = {
      id: uuid(at),
      name: `Choice ${at}`,
      action: "BOOL_CONDITION",
      parameters: {
        execution: "STATIC",
        comparison_value_1: template(draw),
        comparison_value_2: template(draw),
        comparison_operator: pick(["EQUAL", "CONTAINS", "STARTS_WITH"], draw)
      }
    }
    edges[uuid(at)] = { true: uuid(at + 1), false: uuid(all.length - 1 - whole(draw, 1)) }
  }
  return {
    name: pick(["Nightly", "é", "x".repeat(200)], draw),
    nodes,
    edges,
    ...sometimes(draw, 0.5, () => ({ input_schema: { type: "object", properties: { npi: schemas(draw) } } })),
    ...sometimes(draw, 0.3, () => ({ output_schema: schemas(draw) })),
    ...sometimes(draw, 0.3, () => ({ vault_schema: { BANK: { type: "credential", domain: "bank.example" } } })),
    ...sometimes(draw, 0.3, () => ({ max_retries: whole(draw, 3) })),
    ...sometimes(draw, 0.2, () => ({ folder_path: pick(["a/b", "/", "a//b"], draw) })),
    ...sometimes(draw, 0.2, () => ({ description: template(draw) }))
  }
}

/** A component of a few steps. */
export const component = (draw: Draw) => {
  const all = [pick(steps, draw)(draw), ...some(draw, 3, () => pick(steps, draw)(draw))]
  return {
    name: "Login",
    componentData: {
      nodes: all.map((step, index) => ({
        workflowNode: { id: uuid(100 + index), name: `${step.action} ${index}`, ...step },
        position: { x: index, y: 0 }
      })),
      workflowEdges: Object.fromEntries(
        all.slice(0, -1).map((_, index) => [uuid(100 + index), { to: uuid(101 + index) }])
      ),
      reactFlowEdges: [],
      vault_schema: {}
    }
  }
}
