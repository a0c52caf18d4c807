/** The description of the interface is kept in the repository, so that a change of the interface is a line in review. */
import { assert, expect, it } from "@effect/vitest"
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Needs } from "../../../apps/api/Annotations.ts"
import { Api } from "../../../apps/api/Api.ts"
import { type Document, judge, operationsOf } from "../../support/description.ts"

it("the description is the one that is kept; `npm run test:http -- description -u` keeps a new one", async () => {
  await expect(`${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`).toMatchFileSnapshot("./openapi.json")
})

it("every writing operation with a key takes an Idempotency-Key, and instants of answers have their format", () => {
  const { components, paths } = OpenApi.fromApi(Api)
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const names = (operation as { parameters: ReadonlyArray<{ name: string }> }).parameters.map(({ name }) => name)
      const isRepeatable = method !== "get" && path !== "/invitations/accept"
      assert.strictEqual(names.includes("Idempotency-Key"), isRepeatable, `${method} ${path}`)
    }
  }
  const { RunWindowPreview, RunWindowResponse } = components.schemas
  assert.include(JSON.stringify(RunWindowPreview), '"opens_at":{"type":"string","format":"date-time"}')
  assert.include(JSON.stringify(RunWindowResponse), '"warnings"')
})

it("every body says its limit, which is more than 1 MB only where the docs say so, and every operation may answer 500", () => {
  const document = OpenApi.fromApi(Api) as unknown as Document
  const large: Array<string> = []
  for (const { method, path, requestBody, responses } of operationsOf(document)) {
    assert.property(responses, "500", `${method} ${path}`)
    if (requestBody === undefined) continue
    const [, limit] = /^At most (\d+) MB/.exec(requestBody.description ?? "") ?? assert.fail(`${method} ${path}`)
    if (limit !== "1") large.push(`${limit} MB ${method} ${path}`)
  }
  assert.deepStrictEqual(large.sort(), [
    "10 MB POST /workflows/convert",
    "25 MB POST /run",
    "25 MB POST /runs/batch",
    "25 MB POST /workflow-builder/agent/session/from-failed-run",
    "25 MB POST /workflow-builder/agent/session/from-workflow",
    "25 MB POST /workflows/{workflow_id}/validate-input",
    "5 MB POST /runs/retry",
    "5 MB POST /workflows",
    "5 MB POST /workflows/import",
    "5 MB POST /workflows/upsert",
    "5 MB PUT /workflows/{workflow_id}"
  ])
})

it("every operation with a body has an example that its schema allows", () => {
  const document = OpenApi.fromApi(Api) as unknown as Document
  const { allows } = judge(document)
  const wrong = operationsOf(document).filter((operation) => {
    const json = operation.requestBody?.content["application/json"]
    return json !== undefined && (json.example === undefined || !allows(json.schema, json.example))
  })
  assert.deepStrictEqual(
    wrong.map(({ operationId }) => operationId),
    []
  )
})

it("every endpoint says what it does and what its caller must be able to do", () => {
  const silent: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => {
      if (Option.isNone(Context.getOption(group.annotations, OpenApi.Description))) silent.push(group.identifier)
    },
    onEndpoint: ({ endpoint: { annotations, method, path } }) => {
      const says =
        Option.isSome(Context.getOption(annotations, OpenApi.Summary)) && annotations.mapUnsafe.has(Needs.key)
      if (!says) silent.push(`${method} ${path}`)
    }
  })
  assert.deepStrictEqual(silent, [])
})
