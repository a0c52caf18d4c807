import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import * as Text from "../../../apps/api/http/body/Text.ts"
import { type Document, operationsOf } from "../../support/description.ts"
import { graph } from "../../support/fixtures.ts"
import { asList, pathsOf } from "../../support/member.ts"
import * as RelativeCost from "../../support/relativeCost.ts"
import { layer, Service } from "../../support/service.ts"

/** What a look for such texts may cost, in fixed works. */
const most = 5

const endpoints = operationsOf(OpenApi.fromApi(Api) as unknown as Document)

/** Texts as JSON writes them, that no store keeps as they are. */
const unstorable = ["\\u0000", "a\\u0000b", "\\ud800", "\\udfff", "\\ude00\\ud83d", "ok\\uD83D ok"]

it.layer(layer)("text that cannot be stored", (it) => {
  it.effect.each(
    endpoints
      .filter(({ requestBody }) => requestBody !== undefined)
      .map((one) => [`${one.method} ${one.path}`, one] as const)
  )("in the body of %s is 400 with its path, and changes nothing", ([, { method, path }]) =>
    Effect.gen(function* () {
      const { dump, empty, member, send } = yield* Service
      yield* empty
      const { key } = yield* member("Owner")
      const headers = { "content-type": "application/json" }
      const before = yield* dump
      for (const text of unstorable) {
        const raw = `{"fine":"\\ud83d\\ude00 \\\\u0000","deep":[{"x":"${text}"},1],"${text}":null}`
        const id = "00000000-0000-4000-8000-000000000000"
        const { body, status } = yield* send({
          method,
          path: path.replace(/\{\w+\}/g, id),
          key,
          raw,
          headers
        })
        assert.deepStrictEqual([status, body.statusCode], [400, 400], text)
        assert.isNotEmpty(body.message)
        const paths =
          path === "/authentication"
            ? asList(body.detail).map(({ loc }) => (loc as ReadonlyArray<string>).slice(1).join("."))
            : pathsOf(body)
        assert.strictEqual(paths[0], path === "/authentication" ? "deep.0.x" : "deep[0].x")
        assert.lengthOf(paths, 2)
      }
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("in a path or a query is 400 with the name of the parameter", () =>
    Effect.gen(function* () {
      const { dump, empty, member, send } = yield* Service
      yield* empty
      const { key } = yield* member("Owner")
      const before = yield* dump
      for (const { method, parameters, path } of endpoints) {
        for (const { in: place, name } of parameters) {
          if (place === "header") continue
          const query = place === "query" ? `?${encodeURIComponent(name)}=a%00b` : ""
          const filled = path.replace(/\{(\w+)\}/g, (_, other) => (place === "path" && other === name ? "a%00b" : "x"))
          const { body, status } = yield* send({ method, path: filled + query, key })
          assert.strictEqual(status, 400, `${method} ${filled}${query}`)
          assert.deepStrictEqual([body.code, pathsOf(body)], ["VALIDATION_FAILED", [name]])
        }
      }
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("is not what an escape in an escape or a pair of surrogates is", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const name = "\\u0000 and \\ud800 are written out, 😀 is a pair"
      const raw = JSON.stringify({ name, ...graph() }).replace("😀", "\\ud83d\\ude00")
      const headers = { "content-type": "application/json" }
      const made = yield* send({ method: "POST", path: "/workflows", key, raw, headers })
      assert.deepStrictEqual([made.status, made.body.name], [201, name])
    })
  )

  it.effect("is reported together with what is wrong in the address, and kept under no Idempotency-Key", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const ask = (text: string) =>
        send({
          method: "POST",
          path: "/workflows?nmae=x",
          key,
          raw: `{"name":"${text}"}`,
          headers: { "content-type": "application/json", "idempotency-key": "same" }
        })
      assert.deepStrictEqual(pathsOf((yield* ask("\\u0000")).body), ["nmae", "name"])
      assert.deepStrictEqual(pathsOf((yield* ask("fine")).body), ["nmae"])
    })
  )
})

it.layer(layer)("a number that loses digits", (it) => {
  it.effect.each([
    [
      "/run",
      '{"workflow_id": "x", "run_input_variables": {"order": {"ids": [1, NUMBER]}}}',
      "run_input_variables.order.ids[1]"
    ],
    [
      "/workflows",
      '{"name": "x", "input_schema": {"properties": {"id": {"type": "number", "default": NUMBER}}}}',
      "input_schema.properties.id.default"
    ]
  ] as const)("in a body of %s is 400 with its path", ([path, form, at]) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      for (const number of ["1e400", "-1E+999", "9007199254740993", "123456789012345678"]) {
        const headers = { "content-type": "application/json" }
        const { body, status } = yield* send({
          method: "POST",
          path,
          key,
          raw: form.replace("NUMBER", number),
          headers
        })
        assert.deepStrictEqual([status, body.code, pathsOf(body)], [400, "VALIDATION_FAILED", [at]], number)
        assert.include(String(body.message), number)
      }
    })
  )
})

it("numbers that keep their digits are no problem, however the body is cut", () => {
  const numbers = '{"a": [9007199254740993, 9007199254740992, 1e308, 123456789012345680000, "1e400"], "b": 1e999}'
  for (let at = 0; at <= numbers.length; at++) {
    const pieces = [numbers.slice(0, at), numbers.slice(at)]
    const problems = Effect.runSync(Text.problemsOf(pieces))
    assert.deepStrictEqual(
      problems.map(({ path }) => path),
      ["a[0]", "b"]
    )
    assert.isTrue(Text.isSuspicious("", pieces[0] ?? "") || Text.isSuspicious(pieces[0] ?? "", pieces[1] ?? ""))
  }
})

it("a body of texts that cannot be stored is reported up to a bound, in time that grows with its length", () => {
  const body = (length: number) => JSON.stringify(Array.from({ length }, () => "\0"))
  const problemsOf = (text: string) => Effect.runSync(Text.problemsOf([text]))
  assert.lengthOf(problemsOf(body(200_000)), 100)
  assert.deepStrictEqual(problemsOf('{"a":"\\u0000"'), [])
  const long = body(400_000)
  assert.isBelow(
    RelativeCost.least(most, () => problemsOf(long)),
    most
  )
})

it.layer(layer)("a body that is not JSON", (it) => {
  const ask = (method: string, path: string, raw: string) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Nightly", ...graph() } })
      const headers = { "content-type": "application/json" }
      return yield* send({ method, path: path.replace(":id", String(made.body.id)), key, raw, headers })
    })

  it.effect("or is empty is reported by the older endpoints of credentials in their detail", () =>
    Effect.gen(function* () {
      for (const method of ["POST", "PUT"]) {
        for (const raw of ["", "{", "nonsense", '{"a":"\\u0000"}']) {
          const { body, status } = yield* ask(method, "/authentication", raw)
          assert.strictEqual(status, 400)
          const [first] = asList(body.detail)
          assert.strictEqual((first?.loc as ReadonlyArray<string> | undefined)?.[0], "body")
          assert.isNotEmpty(first?.msg)
          assert.strictEqual(first?.type, "value_error")
        }
      }
    })
  )

  it.effect("or is empty is an invalid run window where a run window is expected", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["PUT", "/workflows/:id/run-window"],
        ["POST", "/workflows/:id/run-window/preview"]
      ] as const) {
        for (const raw of ["", "{", "nonsense", '{"a":"\\u0000"}']) {
          const { body, status } = yield* ask(method, path, raw)
          assert.deepStrictEqual([status, body.statusCode, body.error], [400, 400, "InvalidRunWindow"])
          assert.isNotEmpty(body.message)
          assert.isNotEmpty(asList(body.errors))
        }
      }
    })
  )

  it.effect("says where it ends being JSON at every other endpoint", () =>
    Effect.gen(function* () {
      const { body, status } = yield* ask("POST", "/workflows", '{"name":')
      assert.deepStrictEqual([status, body.error], [400, "Bad Request"])
      assert.include(body.message, "The body is not valid JSON: ")
    })
  )
})

it.layer(layer)("a parameter that an endpoint does not have", (it) => {
  it.effect.each(endpoints.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "is 400 at %s with the known name that is most like it",
    ([, { method, parameters, path }]) =>
      Effect.gen(function* () {
        const { dump, member, send } = yield* Service
        const { key } = yield* member("Owner")
        const known = parameters.filter((one) => one.in === "query").map(({ name }) => name)
        const before = yield* dump
        const [first] = known
        const wrong = first === undefined ? "limit" : `${first.slice(0, -1)}zz`
        const query = `?${encodeURIComponent(wrong)}=1`
        const { body, status } = yield* send({ method, path: path.replace(/\{\w+\}/g, "x") + query, key })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual([body.code, pathsOf(body)], ["VALIDATION_FAILED", [wrong]])
        if (known.length === 0) assert.include(body.message, "this endpoint has none")
        else assert.isTrue(known.some((name) => String(body.message).includes(name)))
        assert.strictEqual(yield* dump, before)
      })
  )

  it.effect("is answered with the whole list where no name is like it", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const ask = (query: string) => send({ method: "GET", path: `/webhook-deliveries?${query}`, key })
      assert.include((yield* ask("stauts=delivered")).body.message, "did you mean status?")
      assert.include(
        (yield* ask("colour=red")).body.message,
        "expected one of status, session_id, webhook_id, limit, cursor"
      )
      assert.strictEqual((yield* ask("status=delivered&limit=5&")).status, 200)
    })
  )
})
