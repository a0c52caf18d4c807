import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Person } from "../../../core/agent/Person.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import type { ApiRequest } from "../../../core/browser/Requests.ts"
import type * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import type { Step } from "../../support/browser.ts"
import { dataOf, failureOf, home, run } from "../../support/shop.ts"

const orders = {
  data: {
    orders: [
      { id: "A-1", total: "12.5", lines: [{ n: 1 }] },
      { id: "A-2", total: 7, lines: [] }
    ]
  },
  next: null
}

const asked = (url: string, body: unknown, more: Partial<Exchange> = {}) => ({
  url,
  body: JSON.stringify(body),
  ...more
})

const model = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

const extract = (url: string, extract_data_model: object, more: object = {}): Step => ({
  action: "EXTRACT_NETWORK",
  parameters: { url, extract_data_model, wait_time: 50, ...more }
})

const rows = model({
  orders: {
    type: "array",
    path: "$.data.orders",
    items: {
      type: "object",
      properties: { id: "string", sum: { type: ["number", "null"], path: "total" }, first: { path: "$.lines[0].n" } }
    }
  }
})

describe("EXTRACT_NETWORK", () => {
  it.live("reads digits as they were sent, and warns of values that are none of their type", () =>
    Effect.gen(function* () {
      const odd = model({
        id: "string",
        big: { type: "integer", path: "id" },
        sum: "number",
        half: "integer",
        price: { type: "number", format: { locale: "de" } },
        paid: "boolean",
        due: { type: "string", format: { date: "dd.MM.yyyy" } }
      })
      const seen = yield* run([extract("/api/odd", odd)], {}, network)
      assert.deepEqual(dataOf(seen), {
        id: "9007199254740993",
        big: null,
        sum: null,
        half: null,
        price: 1234.5,
        paid: null,
        due: "2024-03-05"
      })
      assert.deepEqual(
        seen.warnings.map(({ code, value }) => [code, value]),
        [
          ["FIGURE-W0001", "9007199254740993"],
          ["FIGURE-W0001", "5 of 12"],
          ["FIGURE-W0001", "12.5"],
          ["VALUE-W0001", "perhaps"]
        ]
      )
    })
  )

  const network: ScriptedBrowser.ScriptedNetwork = {
    asked: {
      [home]: [
        asked("https://shop.example/api/orders?page=1", { data: { orders: [] } }),
        asked("https://shop.example/api/orders?page=1", orders, {
          requestHeaders: { authorization: "Bearer abc", accept: "*/*" },
          method: "POST",
          requestBody: '{"password":"x","page":1}'
        }),
        asked("https://shop.example/api/odd", null, {
          body: '{"id": 9007199254740993, "sum": "5 of 12", "half": 12.5, "price": "1.234,50", "paid": "perhaps", "due": "05.03.2024"}'
        }),
        asked("https://shop.example/api/list", [{ id: "L-1" }, { id: "L-2" }]),
        { url: "https://shop.example/api/picture", body: null }
      ]
    }
  }
  const read = {
    orders: [
      { id: "A-1", sum: 12.5, first: 1 },
      { id: "A-2", sum: 7, first: null }
    ]
  }

  it.live.each([
    ["its address", "https://shop.example/api/orders?page=1"],
    ["a part of it", "api/orders"],
    ["stars in it", "/api/*?page=*"],
    ["a pattern", "regex:/api/orders\\?page=\\d$"],
    ["an expression", "{{context.inputs.where}}/orders"]
  ] as const)("reads the newest answer of %s", ([, url]) =>
    Effect.map(run([extract(url, rows)], { where: "api" }, network), (seen) => assert.deepEqual(dataOf(seen), read))
  )

  it.live.each([
    ["the whole answer", model({ all: { path: "$" } }), "api/list", { all: [{ id: "L-1" }, { id: "L-2" }] }],
    ["an element of a list", model({ first: { path: "$[0].id" } }), "api/list", { first: "L-1" }],
    [
      "an expression",
      model({ ids: { type: "array", path: "$.id", items: "string" } }),
      "api/list",
      { ids: ["L-1", "L-2"] }
    ],
    [
      "a field by its name",
      model({ data: model({ orders: { type: "array", items: model({ id: "string" }) } }) }),
      "api/orders",
      { data: { orders: [{ id: "A-1" }, { id: "A-2" }] } }
    ],
    ["what is left out", model({ next: "string", data: { selected: false } }), "api/orders", { next: null }]
  ] as const)("reads %s", ([, shape, url, expected]) =>
    Effect.map(run([extract(url, shape)], {}, network), (seen) => assert.deepEqual(dataOf(seen), expected))
  )

  it.live("shows the request as well, without what opens doors", () =>
    Effect.gen(function* () {
      const shape = model({
        method: { path: "request.method" },
        headers: { path: "request.headers" },
        body: { path: "request.body" },
        status: { path: "response.status" },
        id: { path: "response.body.data.orders[0].id" }
      })
      const seen = yield* run([extract("api/orders", shape, { full_request: true })], {}, network)
      assert.deepEqual(dataOf(seen), {
        method: "POST",
        headers: { authorization: "REDACTED", accept: "*/*" },
        body: { password: "REDACTED", page: 1 },
        status: 200,
        id: "A-1"
      })
    })
  )

  it.live.each([
    ["nothing was asked for", "api/nothing", "NETWORK-E0001", "no answer of api/nothing within 50 ms"],
    ["the pattern never ends", "regex:{{'(a+)+$'}}", "NETWORK-E0001", "Cannot use the pattern (a+)+$"],
    ["the answer is no text", "api/picture", "NETWORK-E0002", "its answer is no text"]
  ] as const)("fails with its own code when %s", ([, url, code, message]) =>
    Effect.gen(function* () {
      const failure = failureOf(yield* run([extract(url, rows)], {}, network))
      assert.strictEqual(failure.code, code)
      assert.include(failure.message, message)
    })
  )

  it.live("appends lists that are read again, also within objects, unless they are named", () =>
    Effect.gen(function* () {
      const inner = model(
        { ids: { type: "array", path: "$.id" }, last: { type: "array", path: "$.id" } },
        { path: "$", overwriteArrayKeys: ["last"] }
      )
      const step = extract(
        "api/list",
        model({ nested: inner, flat: { type: "array", path: "$.id" } }, { overwriteArrayKeys: ["flat"] })
      )
      const both = ["L-1", "L-2"]
      assert.deepEqual(dataOf(yield* run([step, step], {}, network)), {
        nested: { ids: [...both, ...both], last: both },
        flat: both
      })
    })
  )
})

const flow = (steps: ReadonlyArray<object>, more: object = {}): Step => ({
  action: "API_FLOW",
  parameters: { steps, ...more }
})
const header = (name: string, value: string): readonly [string, string] => [name, value]
const get = (id: string, more: object = {}) => ({ id, method: "GET", url: `https://api.example/${id}`, ...more })

describe("API_FLOW", () => {
  const answering = (
    answer: (asked: ApiRequest, count: number) => { status?: number; headers?: Record<string, string>; body?: unknown }
  ) => {
    const seen: Array<ApiRequest> = []
    const network: ScriptedBrowser.ScriptedNetwork = {
      answer: (one) => {
        seen.push(one)
        const { body, ...rest } = answer(one, seen.length)
        return {
          ...rest,
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
        }
      }
    }
    return { network, seen }
  }
  const textOf = ({ body }: ApiRequest) => (body === null ? null : new TextDecoder().decode(body))

  it.effect("uses in each step what those before brought, and merges what the map makes of it", () =>
    Effect.gen(function* () {
      const { network, seen } = answering(({ url }) =>
        url.endsWith("/token")
          ? { headers: { "x-next": "42" }, body: { token: "t-1" } }
          : { body: { user: { name: "Ada" }, text: "id=77;" } }
      )
      const step = flow(
        [
          {
            ...get("token"),
            method: "POST",
            body: { type: "json", value: { user: "{{context.inputs.user}}", n: 1 } },
            extract: [
              { name: "token", source: "response_body", expression: "token", required: true },
              { name: "next", source: "response_header", header: "X-Next" }
            ]
          },
          get("profile", {
            url: "/me",
            query: { next: "{{steps.token.next}}", plain: 1 },
            headers: [{ name: "Authorization", value: "Bearer {{steps.token.token}}" }],
            extract: [{ name: "id", source: "response_text", pattern: "id=(\\d+);" }]
          })
        ],
        {
          credentials: "same-origin",
          field_json_map: {
            "user.name": "response.body.user.name",
            id: "$number(steps.profile.id)",
            was: "context.inputs.user"
          }
        }
      )
      const outcome = yield* run([step], { user: "ada" }, network)
      assert.deepEqual(dataOf(outcome), { user: { name: "Ada" }, id: 77, was: "ada" })
      assert.deepEqual(outcome.marks, ["acting"])
      assert.strictEqual(textOf(seen[0] as ApiRequest), '{"user":"ada","n":1}')
      assert.strictEqual(seen[1]?.url, "https://shop.example/me?next=42&plain=1")
      assert.deepInclude(seen[1]?.headers ?? [], header("Authorization", "Bearer t-1"))
      assert.strictEqual(seen[1]?.credentials, "same-origin")
    })
  )

  it.effect.each([
    [
      "form_urlencoded",
      { type: "form_urlencoded", value: { a: "x y", b: "{{context.inputs.v}}" } },
      "application/x-www-form-urlencoded",
      "a=x+y&b=%26"
    ],
    ["text", { type: "text", value: "v={{context.inputs.v}}" }, "text/plain; charset=utf-8", "v=&"],
    ["binary", { type: "binary", value: "aGk=", content_type: "image/png" }, "image/png", "hi"],
    [
      "multipart",
      {
        type: "multipart",
        value: [
          { name: "f", data: "aGk=", filename: 'a".txt' },
          { name: "v", value: "{{context.inputs.v}}" }
        ]
      },
      "multipart/form-data; boundary=----part-of-form-0",
      '------part-of-form-0\r\ncontent-disposition: form-data; name="f"; filename="a%22.txt"\r\ncontent-type: application/octet-stream\r\n\r\nhi\r\n------part-of-form-0\r\ncontent-disposition: form-data; name="v"\r\n\r\n&\r\n------part-of-form-0--\r\n'
    ]
  ] as const)("sends a body that is %s", ([, body, type, text]) =>
    Effect.gen(function* () {
      const { network, seen } = answering(() => ({}))
      dataOf(yield* run([flow([{ ...get("a"), method: "POST", body }])], { v: "&" }, network))
      assert.deepInclude(seen[0]?.headers ?? [], header("content-type", type))
      assert.strictEqual(textOf(seen[0] as ApiRequest), text)
    })
  )

  const pages = (repeat: object) =>
    flow([get("list", { repeat })], { field_json_map: "{'ids': steps.list.items, 'pages': steps.list.pages}" })
  const listing = () =>
    answering(({ url }, count) => {
      const page = Number(new URL(url).searchParams.get("page") ?? 1)
      return {
        body: {
          items: page > 3 ? [] : [page * 10, page * 10 + 1],
          next: page < 3 ? page + 1 : null,
          forever: count + 1
        }
      }
    })
  const all = [10, 11, 20, 21, 30, 31]

  it.effect.each([
    [
      "its cursor is absent",
      { cursor: { from: "next", into: "query.page" }, until: { cursor_absent: true }, accumulate: "items" },
      { ids: all, pages: 3 }
    ],
    [
      "a collection is empty",
      { cursor: { from: "forever", into: "query.page" }, until: { empty_collection: "items" }, accumulate: "items" },
      { ids: all, pages: 4 }
    ],
    [
      "an answer says so",
      {
        cursor: { from: "next", into: "query.page" },
        until: { response_predicate: "20 in items" },
        accumulate: "items"
      },
      { ids: [10, 11, 20, 21], pages: 2 }
    ],
    [
      "it was done often enough",
      {
        cursor: { from: "forever", into: "query.page" },
        until: { cursor_absent: true },
        accumulate: "items",
        max_iterations: 2
      },
      { ids: [10, 11, 20, 21], pages: 2 }
    ]
  ] as const)("repeats a step until %s", ([, repeat, expected]) =>
    Effect.map(run([pages(repeat)], {}, listing().network), (seen) => assert.deepEqual(dataOf(seen), expected))
  )

  it.effect("does not repeat with a cursor that it had before", () =>
    Effect.gen(function* () {
      const { network, seen } = answering(() => ({ body: { next: "same", items: [1] } }))
      const repeat = {
        cursor: { from: "next", into: "query.page" },
        until: { cursor_absent: true },
        accumulate: "items"
      }
      assert.deepEqual(dataOf(yield* run([pages(repeat)], {}, network)), { ids: [1, 1], pages: 2 })
      assert.strictEqual(seen.length, 2)
    })
  )

  it.live("tries again what a server could not answer, and never a POST", () =>
    Effect.gen(function* () {
      const { network, seen } = answering((_asked, count) => (count < 3 ? { status: 503 } : { body: { ok: true } }))
      const retry = { max_attempts: 2, delay_ms: 0 }
      const step = flow([get("a", { retry })], { field_json_map: { ok: "response.body.ok" } })
      assert.deepEqual(dataOf(yield* run([step], {}, network)), { ok: true })
      assert.strictEqual(seen.length, 3)
    })
  )

  it.effect("is not done again once it sent what may have changed something", () =>
    Effect.gen(function* () {
      const { network, seen } = answering(() => ({ body: {} }))
      let asked = 0
      const person: Person = {
        ask: () => Effect.succeed(null),
        correct: () =>
          Effect.sync(() => {
            asked++
            return { _tag: "inputs", inputs: { v: "x" } } as const
          })
      }
      const steps = (method: string) => [
        flow([{ ...get("a"), method }, get("b", { query: { v: "{{$uppercase(context.inputs.v)}}" } })])
      ]
      const order = yield* run(steps("POST"), { v: 5 }, network, { person, correctable: true })
      assert.deepStrictEqual([asked, seen.length], [0, 1])
      assert.include(failureOf(order).message, "may have taken effect")
      yield* run(steps("GET"), { v: 5 }, network, { person, correctable: true })
      assert.deepStrictEqual([asked, seen.length], [1, 4])
    })
  )

  it.effect.each([
    ["another status than expected", get("a"), { status: 404 }, "API-E0002", "answered with status 404"],
    [
      "a status that is not among those expected",
      get("a", { expected_status: [{ range: "404" }, 410] }),
      { status: 200 },
      "API-E0002",
      "status 200"
    ],
    ["a server that is out of order", get("a"), { status: 500 }, "API-E0001", "status 500"],
    [
      "no value that is required",
      get("a", { extract: [{ name: "x", source: "response_body", expression: "x", required: true }] }),
      { body: {} },
      "API-E0002",
      'does not have "x"'
    ],
    [
      "errors of GraphQL",
      get("a", { graphql_error_policy: "fail" }),
      { body: { errors: [{ message: "no such field" }] } },
      "API-E0002",
      "no such field"
    ],
    ["a huge answer", get("a"), { body: "x".repeat(10_000_001) }, "API-E0002", "larger than 10000000 bytes"],
    ["a deep answer", get("a"), { body: `${"[".repeat(5_000)}${"]".repeat(5_000)}` }, "API-E0002", "nested too deeply"],
    ["an address that is none", get("a", { url: "{{context.inputs.url}}" }), {}, "API-E0003", "javascript:"]
  ] as const)("fails with %s", ([, step, answer, code, message]) =>
    Effect.gen(function* () {
      const { network } = answering(() => answer)
      const failure = failureOf(yield* run([flow([step])], { url: "javascript:1" }, network))
      assert.strictEqual(failure.code, code)
      assert.include(failure.message, message)
    })
  )

  it.effect("does the steps in the order that they are to come in", () =>
    Effect.gen(function* () {
      const { network, seen } = answering(() => ({ body: { n: 1 } }))
      const step = flow([get("a", { query: { n: "{{steps.b.body.n}}" } }), get("b")], {
        ordering: [{ before: "b", after: "a" }],
        target_step_id: "b"
      })
      dataOf(yield* run([step], {}, network))
      assert.deepEqual(
        seen.map(({ url }) => url),
        ["https://api.example/b", "https://api.example/a?n=1"]
      )
    })
  )
})
