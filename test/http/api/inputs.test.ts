import { randomBytes, randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asList, pathsOf, setUp, workflow } from "../../support/member.ts"
import { layerInMemory, Service } from "../../support/service.ts"

/** A text that takes as many bytes where it is stored, because the database cannot compress it. */
const incompressible = (length: number) => randomBytes(length).toString("base64").slice(0, length)

it.layer(layerInMemory)("workflows", (it) => {
  it.effect("report of an input what a submission would, and take placeholders for credentials", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ vault_schema: { BANK: { type: "credential", domain: "bank.example" } } })
      const keep = (permissioned_user_id: string) =>
        ask("POST", "/vault", { permissioned_user_id, domain: "https://bank.example" })
      assert.strictEqual((yield* keep("u")).status, 201)
      assert.strictEqual((yield* keep("u2")).status, 201)
      const check = (json?: unknown) => ask("POST", `/workflows/${id}/validate-input`, json)
      const valid = { valid: true, schema_error: null, errors: null }
      const npi = "1234567890"
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi, BANK: "<bank>" } })).body, valid)
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi, BANK: ["u1", "u2"] } })).body, valid)
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi: "abc", BANK: "u" } })).body, {
        valid: false,
        schema_error: null,
        errors: [
          {
            field: "/npi",
            message: 'must match pattern "^\\d{10}$"',
            keyword: "pattern",
            expected: { pattern: "^\\d{10}$" }
          }
        ]
      })
      for (const empty of [undefined, {}, { run_input_variables: null }]) {
        const { body, status } = yield* check(empty)
        assert.strictEqual(status, 200)
        assert.deepInclude(asList(body.errors)[0] as object, { field: "#/required", keyword: "required" })
      }
      const metadata = yield* ask("GET", `/workflows/${id}/metadata`)
      assert.deepInclude(metadata.body.input_schema as object, { required: ["npi", "BANK"] })
      assert.deepStrictEqual(metadata.body.vault_schema, {
        BANK: { type: "credential", domain: "bank.example", example: "<bank>" }
      })
      const pool = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: { npi, BANK: ["u1", "u2"] } })
      assert.strictEqual(pool.status, 201)
    })
  )

  it.effect("refuse credentials that do not exist, with everything else that is wrong with an input", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const credential = { type: "credential", domain: "bank.example" }
      const id = yield* create({
        input_schema: {
          type: "object",
          required: ["npi", "name"],
          properties: { npi: { type: "string", pattern: "^\\d{10}$" }, name: { type: "string" } }
        },
        vault_schema: { BANK: credential, SHOP: credential }
      })
      yield* ask("POST", "/vault", { permissioned_user_id: "u", domain: "bank.example" })
      const input = { npi: "abc", BANK: "somebody else", SHOP: ["v", "w"] }
      const refused = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: input })
      assert.strictEqual(refused.status, 400)
      const all = ["#/required name", "/npi", "/BANK credential", "/SHOP credential"]
      const named = (errors: unknown) =>
        asList(errors).map(({ expected, field, keyword }) =>
          keyword === "required"
            ? `${field} ${(expected as { missingProperty: string }).missingProperty}`
            : `${field}${keyword === "credential" ? " credential" : ""}`
        )
      assert.deepStrictEqual(named(refused.body.run_input_variables_errors), all)
      assert.match(String(refused.body.message), /^Validation failed for run_input_variables: name must have/)
      const checked = yield* ask("POST", `/workflows/${id}/validate-input`, { run_input_variables: input })
      assert.deepStrictEqual([checked.status, checked.body.valid, named(checked.body.errors)], [200, false, all])
      const alone = yield* ask("POST", "/run", {
        workflow_id: id,
        run_input_variables: { npi: "1234567890", name: "n", BANK: "<bank>", SHOP: ["v", "u"] }
      })
      assert.strictEqual(alone.status, 400)
      assert.include(
        alone.body.message,
        'BANK must name a credential of the vault for bank.example: there is none of "<bank>"'
      )
    })
  )

  it.effect("are not started by a body with a misspelt field, and by one whose unknown fields are null", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ input_schema: {} })
      const refused = yield* ask("POST", "/run", { workflow_id: id, inputs: {}, dry_run: { enable: true } })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(pathsOf(refused.body), ["inputs", "dry_run.enable"])
      assert.include(refused.body.message, "did you mean run_input_variables?")
      assert.include(refused.body.message, "did you mean enabled?")
      assert.strictEqual((yield* ask("POST", "/run", { workflow_id: id, inputs: null })).status, 201)
    })
  )

  it.effect("report what was received, also where the input as a whole is wrong", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ input_schema: { type: "object", minProperties: 2, properties: { a: "string" } } })
      const { body, status } = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: { a: "x" } })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(body.run_input_variables_errors, [
        {
          field: "",
          message: "must NOT have fewer than 2 properties",
          keyword: "minProperties",
          expected: { limit: 2 },
          received: { a: "x" }
        }
      ])
      const strict = yield* create({
        input_schema: { type: "object", additionalProperties: false, properties: { a: ["string", "null"] } }
      })
      const extra = yield* ask("POST", "/run", { workflow_id: strict, run_input_variables: { extra: 1 } })
      assert.deepStrictEqual(extra.body.run_input_variables_errors, [
        {
          field: "",
          message: "must NOT have additional properties",
          keyword: "additionalProperties",
          expected: { additionalProperty: "extra" }
        }
      ])
      const metadata = yield* ask("GET", `/workflows/${strict}/metadata`)
      assert.deepStrictEqual(metadata.body.input_schema, {
        type: "object",
        additionalProperties: false,
        properties: { a: { type: ["string", "null"] } }
      })
    })
  )

  it.effect("give examples of what they can be run with", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({
        input_schema: {
          type: "object",
          additionalProperties: false,
          required: ["npi", "mode"],
          properties: {
            npi: { type: "string", pattern: "^\\d{10}$", example: "1234567890" },
            mode: { type: "string", enum: ["fast", "slow"] },
            count: { type: "integer", minimum: 3 },
            odd: { type: "string", pattern: "^z$", default: "y" }
          }
        },
        vault_schema: { BANK: { type: "credential", domain: "bank.example" } }
      })
      yield* ask("POST", "/vault", { permissioned_user_id: "u", domain: "bank.example" })
      const { body } = yield* ask("POST", `/workflows/${id}/example-payloads`, {})
      const examples = asList(body)
      assert.deepInclude(examples[0] as object, {
        name: "Required inputs only",
        payload: { npi: "1234567890", mode: "fast", BANK: "<bank>" }
      })
      for (const { payload } of examples) {
        const given = { ...(payload as object), BANK: "u" }
        const run = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: given })
        assert.strictEqual(run.status, 201, run.text)
      }
    })
  )

  it.effect("are refused with patterns that some text could make endless", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const { body, status } = yield* ask("POST", "/workflows", {
        ...workflow,
        input_schema: {
          type: "object",
          properties: { a: { type: "array", items: { type: "string", pattern: "^(a+)+$" } } }
        },
        output_schema: {
          type: "object",
          properties: { pattern: { type: "string", enum: ["(a+)+$"] } },
          patternProperties: { "(x|x)*y": { type: "string" } }
        }
      })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(pathsOf(body), [
        "input_schema.properties.a.items.pattern",
        "output_schema.patternProperties"
      ])
    })
  )

  it.effect("are refused with every limit that they break, by one code when it is one", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const big = { type: "object", description: incompressible(140_000) }
      const one = yield* ask("POST", "/workflows", { ...workflow, output_schema: big })
      assert.deepInclude(one.body, { code: "OUTPUT_SCHEMA_TOO_LARGE", field: "output_schema", limit_bytes: 131_072 })
      const several = yield* ask("POST", "/workflows", {
        ...workflow,
        output_schema: big,
        name: "x".repeat(257),
        description: "x".repeat(4_097)
      })
      const wrong = yield* ask("POST", "/workflows", { ...workflow, output_schema: big, max_retries: -1 })
      for (const [{ body, status }, fields] of [
        [several, ["output_schema", "name", "description"]],
        [wrong, ["output_schema", "max_retries"]]
      ] as const) {
        assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
        for (const field of fields) assert.include(String(body.message), field)
        assert.deepStrictEqual([...pathsOf(body)].sort(), [...fields].sort())
      }
    })
  )

  it.effect("refuse a dry run whose added output is too large, and keep one that is not", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create()
      const run = (add_to_output: unknown) =>
        ask("POST", "/run", {
          workflow_id: id,
          run_input_variables: { npi: "1234567890" },
          dry_run: { enabled: true, add_to_output }
        })
      assert.strictEqual((yield* run({ text: incompressible(4_000) })).status, 201)
      const { dump } = yield* Service
      const before = yield* dump
      const refused = yield* run({ text: incompressible(4_096) })
      assert.strictEqual(refused.status, 400)
      assert.deepInclude(refused.body, {
        code: "DRY_RUN_OUTPUT_TOO_LARGE",
        field: "dry_run.add_to_output",
        limit_bytes: 4_096
      })
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("are not run by a submission that is wrong in several ways, and each way is reported", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create()
      const { dump } = yield* Service
      const before = yield* dump
      const input = { run_input_variables: { npi: "abc" } }
      const output = { dry_run: { add_to_output: incompressible(5_000) } }
      const form = { client_id: "me", debug: "yes" }
      const webhook = { webhook: { url: "ftp://sluice.example.com", secret: "s" } }
      const paths = {
        input: ["run_input_variables.npi"],
        output: ["dry_run.add_to_output"],
        form: ["client_id", "debug"],
        webhook: ["webhook.url"]
      }
      for (const [fields, expected] of [
        [{ ...input, ...output }, [...paths.output, ...paths.input]],
        [{ run_input_variables: "x", ...output, ...form }, [...paths.form, ...paths.output, "run_input_variables"]],
        [{ ...webhook, ...input }, [...paths.webhook, ...paths.input]],
        [
          { ...input, ...output, ...form, ...webhook },
          [...paths.form, ...paths.webhook, ...paths.output, ...paths.input]
        ]
      ] as const) {
        const { body, status } = yield* ask("POST", "/run", { workflow_id: id, ...fields })
        assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
        assert.deepStrictEqual([...pathsOf(body)].sort(), [...expected].sort())
        for (const path of expected) assert.include(String(body.message), path)
        assert.strictEqual(body.run_input_variables_errors !== undefined, fields.run_input_variables !== "x")
      }
      for (const nowhere of [{ workflow_id: "none" }, { workflow_id: randomUUID() }, {}, { workflow_id: 7 }]) {
        const { body, status } = yield* ask("POST", "/run", { ...nowhere, ...form, ...output })
        assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
        const all = [...paths.form, ...paths.output, "workflow_id"]
        assert.deepStrictEqual([...pathsOf(body)].sort(), [...all].sort())
        for (const path of all) assert.include(String(body.message), path)
      }
      assert.strictEqual((yield* ask("POST", "/run", { workflow_id: "none", ...input })).status, 404)
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect("are not run with wrong inputs, each of which is listed at its path and in the message", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({
        input_schema: {
          type: "object",
          additionalProperties: false,
          required: ["npi", "name"],
          properties: {
            npi: { type: "string", pattern: "^\\d{10}$" },
            name: { type: "string" },
            address: {
              type: "object",
              additionalProperties: false,
              required: ["city"],
              properties: { city: { type: "string" }, lines: { type: "array", items: { type: "string" } } }
            }
          }
        }
      })
      const input = { npi: "abc", "a.b": 1, address: { lines: ["one", 2], extra: true } }
      const expected = ["npi", "name", "a.b", "address.city", "address.lines[1]", "address.extra"]
      const output = { dry_run: { add_to_output: incompressible(5_000) } }
      for (const [more, others] of [
        [{}, []],
        [output, ["dry_run.add_to_output"]]
      ] as const) {
        const { body, status } = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: input, ...more })
        assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
        const all = [...others, ...expected.map((name) => `run_input_variables.${name}`)]
        assert.deepStrictEqual([...pathsOf(body)].sort(), all.sort())
        for (const name of [...others, ...expected]) assert.include(String(body.message), name)
        assert.strictEqual(asList(body.run_input_variables_errors).length, expected.length)
        for (const error of asList(body.run_input_variables_errors)) assert.notProperty(error, "path")
      }
    })
  )

  it.effect("are run dry with any JSON value as what is added to their output", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ input_schema: {} })
      for (const add_to_output of ["text", "", 12.5, 0, true, false, [], [1, null], {}, { a: [] }]) {
        const { status } = yield* ask("POST", "/run", { workflow_id: id, dry_run: { add_to_output } })
        assert.strictEqual(status, 201, JSON.stringify(add_to_output))
      }
    })
  )
})
