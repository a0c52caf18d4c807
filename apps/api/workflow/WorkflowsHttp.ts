/** Answers the endpoints of workflows. */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as InputContract from "../../../core/workflow/InputContract.ts"
import { type Workflow, WorkflowId, WorkflowNotFound } from "../../../core/workflow/Workflow.ts"
import type { Stored } from "../../../core/workflow/WorkflowStore.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { Api } from "../Api.ts"
import { CurrentCaller, callerWho } from "../request/Authorization.ts"
import * as Errors from "../request/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import type { WorkflowRecord, WorkflowSummary } from "./WorkflowRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "workflows",
  Effect.fn(function* (handlers) {
    const workflows = yield* Workflows
    return handlers.handleAll({
      create: Effect.fn(function* ({ payload }) {
        const caller = yield* callerWho("edit")
        const stored = yield* workflows.create(caller, payload).pipe(Effect.catchTags(refused))
        return view(stored)
      }),
      save: Effect.fn(function* ({ params, payload }) {
        const caller = yield* callerWho("edit")
        const id = yield* workflowId(params.workflow_id)
        const stored = yield* workflows.save(caller, id, payload).pipe(
          Effect.catchTags({
            ...refused,
            WorkflowNotFound: (error) => Effect.fail(Errors.notFound(error)),
            VersionConflict: (error) => Effect.fail(Errors.versionConflict(error))
          })
        )
        return view(stored)
      }),
      list: Effect.fn(function* () {
        const found = yield* workflows.list(yield* CurrentCaller)
        return found.map(summary)
      }),
      get: Effect.fn(function* ({ params }) {
        return view(yield* find(params.workflow_id))
      }),
      versions: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const versions = yield* workflows.versions(yield* CurrentCaller, id).pipe(Effect.mapError(Errors.notFound))
        return versions.map((version) => ({
          version_id: version.versionId,
          version_number: version.versionNumber,
          created_at: iso(version.createdAt),
          created_by: version.createdBy,
          ...(version.versionNote === null ? {} : { version_note: version.versionNote })
        }))
      }),
      version: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const number = Number(params.version_number)
        if (!Number.isInteger(number) || number < 1 || number > 2_147_483_647) {
          return yield* Effect.fail(
            Errors.general(404, `Version "${params.version_number}" not found: versions are numbered from 1`)
          )
        }
        const stored = yield* workflows
          .version(yield* CurrentCaller, id, number)
          .pipe(Effect.mapError(() => Errors.general(404, `Version ${number} of workflow "${id}" not found`)))
        return view(stored)
      }),
      metadata: Effect.fn(function* ({ params }) {
        const { version, workflow } = yield* find(params.workflow_id)
        return {
          input_schema: InputContract.effectiveSchema(version.content),
          workspace_id: workflow.workspaceId,
          vault_schema: withExamples(version.content.vault_schema)
        }
      })
    })

    function find(id: string) {
      return Effect.gen(function* () {
        return yield* workflows.get(yield* CurrentCaller, yield* workflowId(id)).pipe(Effect.mapError(Errors.notFound))
      })
    }
  })
)

/** An id as it stands in a path. What is no UUID is the id of no workflow. */
export const workflowId = (text: string) =>
  Schema.decodeUnknownEffect(WorkflowId)(text).pipe(
    Effect.mapError(() => Errors.notFound(new WorkflowNotFound({ workflowId: text })))
  )

const refused = {
  InvalidWorkflow: (error: Parameters<typeof Errors.invalidWorkflow>[0]) => Effect.fail(Errors.invalidWorkflow(error)),
  FieldsTooLarge: (error: Parameters<typeof Errors.fieldsTooLarge>[0]) => Effect.fail(Errors.fieldsTooLarge(error))
}

const summary = (workflow: Workflow): typeof WorkflowSummary.Type => ({
  id: workflow.id,
  name: workflow.name,
  description: workflow.description,
  created_at: iso(workflow.createdAt),
  updated_at: iso(workflow.updatedAt),
  workspace_id: workflow.workspaceId,
  created_by: workflow.createdBy
})

const view = ({ gate, version, workflow }: Stored): typeof WorkflowRecord.Type => {
  const { settings, ...content } = version.content
  return {
    ...settings,
    ...summary(workflow),
    version_id: version.versionId,
    version_number: version.versionNumber,
    ...(version.versionNote === null ? {} : { version_note: version.versionNote }),
    ...content,
    // What is kept was checked: its nodes are a list of objects, its edges an object.
    nodes: content.nodes as ReadonlyArray<Schema.JsonObject>,
    edges: content.edges as Schema.JsonObject,
    run_window: gate.runWindow
  }
}

/** Each alias with an example of what a run is given for it. */
const withExamples = (vaultSchema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(vaultSchema).map(([alias, entry]) => [
      alias,
      { example: `<${alias.toLowerCase()}>`, ...(entry as Schema.JsonObject) }
    ])
  )
