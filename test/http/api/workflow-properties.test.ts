import { assert, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect, Schema } from "effect"
import { daily, graph } from "../../support/fixtures.ts"
import { scale } from "../../support/scale.ts"
import { layer, Service } from "../../support/service.ts"

type Item = Readonly<Record<string, unknown>>

const hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 22 }))
const text = Schema.String.check(
  Schema.isMaxLength(40),
  Schema.makeFilter((given: string) => !/\0|\p{Surrogate}/u.test(given))
)
const name = text.check(Schema.isMinLength(1))

const Drawn = Schema.Struct({
  name,
  description: Schema.NullOr(text),
  max_retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  input_schema: Schema.Struct({
    type: Schema.Literal("object"),
    properties: Schema.Record(
      Schema.Literals(["a", "b", "c d", "é"]),
      Schema.Struct({ type: Schema.Literals(["string", "integer", "boolean"]) })
    )
  }),
  output_schema: Schema.Record(Schema.Literals(["$comment", "title"]), text),
  window: Schema.NullOr(hour),
  allow_requeue: Schema.Boolean,
  enable_popup_handling: Schema.Boolean,
  popup_xpaths: Schema.Array(Schema.Literals(["//a", "//button[.='×']", "css=.close"])),
  encrypted_keys: Schema.Array(text),
  folder_path: Schema.NullOr(Schema.Array(Schema.Literals(["x", "y y", "ž"])).check(Schema.isMaxLength(5))),
  proxy: Schema.NullOr(Schema.Struct({ setting: Schema.Literals(["random", "country", "static"]), value: text })),
  label: text
})

const bodyOf = ({ folder_path, label, proxy, window, ...drawn }: typeof Drawn.Type) => {
  const { edges, nodes } = graph()
  return {
    ...drawn,
    nodes: nodes.map((node, index) => ({ ...node, description: label, position: { x: index, y: 0 } })),
    edges,
    vault_schema: { BANK: { type: "credential", domain: "bank.example" } },
    folder_path: folder_path?.join("/") ?? null,
    proxy_setting: proxy?.setting ?? null,
    proxy_value: proxy?.setting === "country" ? "DE" : (proxy?.value ?? null),
    run_window: window === null ? null : daily(window, window + 1)
  }
}

/** The content of a workflow, without its ids. */
const contentOf = (body: Item) => {
  const own = new Set([
    "id",
    "workflow_id",
    "version_id",
    "version_number",
    "version_note",
    "workspace_id",
    "created_by",
    "created_at",
    "updated_at"
  ])
  return Object.fromEntries(Object.entries(body).filter(([field]) => !own.has(field)))
}

it.layer(layer)("any workflow", (it) => {
  it.effect.prop(
    "is the same after it was exported and imported elsewhere",
    [Drawn],
    ([drawn]) =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const [from, to] = [yield* member("Member"), yield* member("Member")]
        const made = yield* send({ method: "POST", path: "/workflows", key: from.key, json: bodyOf(drawn) })
        assert.strictEqual(made.status, 201, made.text)
        const path = `/workflows/${made.body.id}/export`
        const bundle = yield* send({ method: "GET", path, key: from.key })
        const imported = yield* send({ method: "POST", path: "/workflows/import", key: to.key, json: bundle.body })
        assert.strictEqual(imported.status, 201, imported.text)
        assert.deepStrictEqual(contentOf(imported.body), contentOf(made.body))
      }),
    { arbitrary: { runs: 30 * scale, size: 10 } }
  )

  const value = Schema.Union([
    Schema.Literals(["<bank>", "", "u1", "1234567890"]),
    Schema.Int,
    Schema.Boolean,
    Schema.Null,
    Schema.Array(Schema.Literals(["u1", "<bank>"])),
    Schema.Struct({ zip: text })
  ])
  const input = Schema.Record(Schema.Literals(["npi", "mode", "count", "address", "BANK", "extra"]), value)
  const closed = Schema.Boolean

  const isPlaceholder = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 && value.every(isPlaceholder) : value === "<bank>"

  it.effect.prop(
    "says the same of an input in its metadata, in a check and at a submission",
    [input, closed, Schema.Boolean],
    ([given, isClosed, withVault]) =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        const json = {
          name: "Checked",
          ...graph(),
          input_schema: {
            type: "object",
            ...(isClosed ? { additionalProperties: false } : {}),
            required: ["npi"],
            properties: {
              npi: { type: "string", pattern: "^\\d{10}$" },
              mode: { type: ["string", "null"], enum: ["u1", null] },
              count: "integer",
              address: { type: "object", required: ["zip"], properties: { zip: { type: "string", minLength: 1 } } }
            }
          },
          ...(withVault ? { vault_schema: { BANK: { type: "credential", domain: "bank.example" } } } : {})
        }
        const { body } = yield* send({ method: "POST", path: "/workflows", key, json })
        const checked = yield* send({
          method: "POST",
          path: `/workflows/${body.id}/validate-input`,
          key,
          json: { run_input_variables: given }
        })
        const run = yield* send({
          method: "POST",
          path: "/run",
          key,
          json: { workflow_id: body.id, run_input_variables: given }
        })
        const metadata = yield* send({ method: "GET", path: `/workflows/${body.id}/metadata`, key })
        const theirs = new Ajv({ allowUnionTypes: true }).compile(metadata.body.input_schema as object)(given)
        assert.include([201, 400], run.status)
        // A check takes a placeholder for any credential; a run would have none.
        if (withVault && isPlaceholder(given.BANK)) return assert.strictEqual(run.status, 400)
        assert.deepStrictEqual(
          [checked.status, checked.body.valid, theirs],
          [200, run.status === 201, run.status === 201]
        )
        if (run.status === 400) {
          const reported = run.body.run_input_variables_errors as ReadonlyArray<Item>
          assert.deepStrictEqual(
            checked.body.errors,
            reported.map(({ received: _received, ...error }) => error)
          )
        }
      }),
    { arbitrary: { runs: 60 * scale, size: 6 } }
  )
})
