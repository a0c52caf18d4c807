/** Answers the endpoints of workflows. */
import { Clock, Effect, Result, Schema } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Gate from "../../../core/gate/Gate.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as CredentialCheck from "../../../core/run/submit/CredentialCheck.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import * as InputContract from "../../../core/workflow/contract/InputContract.ts"
import * as VaultSchema from "../../../core/workflow/contract/VaultSchema.ts"
import * as Folder from "../../../core/workflow/Folder.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { folderOf } from "../../../core/workflow/Settings.ts"
import type { Input } from "../../../core/workflow/sandbox/Operations.ts"
import * as Sandbox from "../../../core/workflow/sandbox/Sandbox.ts"
import { Transfers } from "../../../core/workflow/transfer/Transfers.ts"
import type { Workflow, WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import type { ListedWorkflow, Page, StoredWorkflow } from "../../../core/workflow/WorkflowStore.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { WorkflowId, WorkflowNotFound } from "../../../core/workspace/Ids.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { Api } from "../Api.ts"
import * as InForce from "../gate/InForce.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { cursorOf, placeOf } from "../http/body/Cursor.ts"
import { problemAt } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import * as IfMatch from "../http/IfMatch.ts"
import type { WorkflowBundle, WorkflowToSave } from "./WorkflowBody.ts"
import { item, versionItem, versionView, view, withWarnings } from "./WorkflowView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "workflows",
  Effect.fn(function* (handlers) {
    const workflows = yield* Workflows
    const transfers = yield* Transfers
    const runs = yield* Runs
    const entries = yield* VaultEntries
    return handlers.handleAll({
      create: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return yield* saved(yield* workflows.create(caller, payload), payload)
      }),
      upsert: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { created, stored } = yield* workflows.upsert(caller, payload)
        const shown = yield* saved(stored, payload)
        return created ? { ...shown, created: true as const } : { ...shown, created: false as const }
      }),
      import: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        return yield* saved(yield* transfers.unpack(caller, payload), payload)
      }),
      convert: ({ payload }) => converted(payload.content),
      save: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        const next = workflows.save(caller, id, payload, yield* expected)
        return yield* saved(yield* next, payload)
      }),
      remove: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        yield* workflows.remove(caller, id, yield* expected)
        // The scheduler does the same; here, so that most waiting runs are stopped when the answer arrives.
        yield* runs.stopOrphans
        return { success: true, id }
      }),
      list: Effect.fn(function* ({ query }) {
        const after = yield* readCursor(query.cursor)
        const limit = query.limit ?? mostListed
        const folder = query.folder_path === undefined ? null : Folder.normal(query.folder_path)
        const { tag } = query
        // Folder and tags are settings of the latest version, which have no index: a page of a folder looks at all.
        const page = { limit: folder === null && tag === undefined ? limit + 1 : Number.MAX_SAFE_INTEGER, after }
        const found = (yield* workflows.list(yield* CurrentCaller, page)).filter(
          ({ settings }) =>
            (folder === null || folderOf(settings) === folder) &&
            (tag === undefined || settings.tags?.includes(tag) === true)
        )
        const shown = found.slice(0, limit)
        if (found.length > limit) yield* linkNext(shown.at(-1)?.workflow)
        return shown.map(item)
      }),
      folders: Effect.fn(function* ({ query }) {
        return folderPage(yield* workflows.list(yield* CurrentCaller), {
          folder: Folder.normal(query.folder_path),
          search: query.search ?? "",
          page: query.page ?? 0,
          pageSize: query.page_size ?? 100
        })
      }),
      get: Effect.fn(function* ({ params }) {
        const stored = yield* find(params.workflow_id)
        yield* IfMatch.tagged(tagOf(stored))
        return view(stored, yield* Clock.currentTimeMillis)
      }),
      versions: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const versions = yield* workflows.versions(yield* CurrentCaller, id)
        return versions.map(versionItem)
      }),
      version: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const number = yield* versionNumber(params.version_number)
        const stored = yield* workflows
          .version(yield* CurrentCaller, id, number)
          .pipe(
            Effect.catchTag("WorkflowNotFound", () =>
              Effect.fail(Errors.general(404, `Version ${number} of workflow "${id}" not found`))
            )
          )
        return versionView(stored)
      }),
      metadata: Effect.fn(function* ({ params }) {
        const { gate, version, workflow } = yield* find(params.workflow_id)
        return {
          input_schema: InputContract.effectiveSchema(version.content),
          workspace_id: workflow.workspaceId,
          vault_schema: VaultSchema.withExamples(version.content.vault_schema),
          ...InForce.json(gate.windowRevision, Gate.inForce(gate, yield* Clock.currentTimeMillis))
        }
      }),
      export: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        const bundle = yield* transfers.pack(yield* CurrentCaller, id)
        // The nodes and settings of a saved version are valid, so that the bundle has the form of one to import.
        return bundle as unknown as typeof WorkflowBundle.Type
      }),
      fork: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        const forked = transfers.fork(caller, id, payload)
        return yield* saved(yield* forked, {})
      }),
      validateInput: Effect.fn(function* ({ params, payload }) {
        const { version } = yield* find(params.workflow_id)
        return yield* verdict(version, payload?.run_input_variables ?? {}, entries)
      }),
      examplePayloads: Effect.fn(function* ({ params }) {
        const { version } = yield* find(params.workflow_id)
        return yield* checked(version, "examples", {})
      }),
      warnings: Effect.fn(function* ({ params }) {
        return { warnings: yield* warningsOf(yield* find(params.workflow_id)) }
      })
    })
    function find(id: string) {
      return Effect.gen(function* () {
        return yield* workflows.get(yield* CurrentCaller, yield* workflowId(id))
      })
    }
  })
)

/** Makes a workflow of a file of another program. What is made has the form of a body that creates a workflow. */
const converted = Effect.fnUntraced(function* (content: string) {
  const { workspaceId } = yield* CurrentCaller
  const found = yield* Sandbox.run(workspaceId, "convert", { content }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.fail(Errors.invalid([{ path: "content", message }])))
    )
  )
  if ("failure" in found) return yield* Effect.fail(Errors.invalid(found.failure))
  return { ...found.success, workflow: found.success.workflow as unknown as typeof WorkflowToSave.Encoded }
})

/** The tag of a state of a workflow: its latest version, and the revision of its run window. */
const tagOf = ({ gate, version }: StoredWorkflow): string => `${version.versionNumber}-${gate.windowRevision}`

/** What a request expects: its `If-Match`, where it has one, names the stored state. */
const expected = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const tags = IfMatch.tagsOf(headers)
  return (stored: StoredWorkflow): Result.Result<void, Errors.PreconditionFailed> =>
    tags === null || tags.includes(tagOf(stored))
      ? Result.void
      : Result.fail(
          Errors.preconditionFailed(
            `Cannot change the workflow: If-Match names another state than the stored one, "${tagOf(stored)}". Read the workflow again, and send its ETag`
          )
        )
})

/** Names the page that follows the one that ends with a workflow. */
const linkNext = (last: Workflow | undefined) =>
  last === undefined
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.succeed(
          HttpServerResponse.setHeader(response, "x-next-cursor", cursorOf({ at: last.updatedAt, id: last.id }))
        )
      )

/** Checks an input against the contract of a version, or makes examples for it. */
const checked = Effect.fnUntraced(function* <N extends "rehearse" | "examples">(
  { content }: WorkflowVersion,
  name: N,
  asked: Omit<Input<N>, "content">
) {
  const { workspaceId } = yield* CurrentCaller
  const contract = { input_schema: content.input_schema, vault_schema: content.vault_schema }
  // Both inputs are the content with the rest of that operation.
  return yield* Sandbox.run(workspaceId, name, { ...asked, content: contract } as Input<N>).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.fail(Errors.badRequest(message)))
    )
  )
})

/** The verdict on an input, with the credentials in it that do not exist. Placeholders stand for any credential. */
const verdict = Effect.fnUntraced(function* (
  version: WorkflowVersion,
  input: Schema.JsonObject,
  entries: VaultEntries["Service"]
) {
  const { workspaceId } = yield* CurrentCaller
  const { errors: ofSchema, schemaError } = yield* checked(version, "rehearse", { input })
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => !VaultSchema.isPlaceholder(value)))
  const errors = [...ofSchema, ...(yield* CredentialCheck.errors(entries, workspaceId, version.content, given))]
  return {
    valid: schemaError === null && errors.length === 0,
    schema_error: schemaError,
    errors:
      errors.length === 0
        ? null
        : errors.map(({ expected, field, keyword, message }) => ({ field, message, keyword, expected }))
  }
})

/** A saved workflow with the warnings about it and about the body that it was saved from. */
const saved = Effect.fnUntraced(function* (stored: StoredWorkflow, body: unknown) {
  const warnings = yield* warningsOf(stored)
  yield* IfMatch.tagged(tagOf(stored))
  return withWarnings(stored, yield* Clock.currentTimeMillis, [...SaveBody.bodyWarnings(bundled(body)), ...warnings])
})

/** The warnings about a version; none where finding them takes more than it may, as the version was saved all the same. */
const warningsOf = Effect.fnUntraced(function* ({ version }: StoredWorkflow) {
  const { workspaceId } = yield* CurrentCaller
  return yield* Sandbox.run(workspaceId, "warnings", { content: version.content }).pipe(
    Effect.catchTag("TooCostly", () => Effect.succeed([]))
  )
})

/** The workflow in a body: an import may have it as `bundle`. */
const bundled = (body: unknown): unknown => (Json.isObject(body) && Json.isObject(body.bundle) ? body.bundle : body)

/** The most workflows of a page, and of a page that does not say. */
const mostListed = 10_000

const readCursor = (text: string | undefined): Effect.Effect<Page["after"], Errors.BadRequest> => {
  if (text === undefined) return Effect.succeed(null)
  const place = placeOf(text)
  return place?.id === undefined
    ? Effect.fail(Errors.invalid([problemAt("cursor", "the header x-next-cursor of the page before", text)]))
    : Effect.succeed({ updatedAt: place.at, id: WorkflowId.make(place.id) })
}

/** A workflow id from a path. A text that is not a UUID matches no workflow. */
export const workflowId = (text: string) =>
  Effect.mapError(decodeWorkflowId(text), () => new WorkflowNotFound({ workflowId: text }))

const decodeWorkflowId = Schema.decodeUnknownEffect(WorkflowId)

/** A version number from a path. A text that is not such a number matches no version. */
export const versionNumber = (text: string) => {
  const number = Number(text)
  return /^\d+$/.test(text) && number >= 1 && number <= 2_147_483_647
    ? Effect.succeed(number)
    : Effect.fail(Errors.general(404, `Version "${text}" not found: versions are numbered from 1`))
}

/** The contents of a folder; with a search, the entries in it and below it with that text in their names. */
const folderPage = (
  all: ReadonlyArray<ListedWorkflow>,
  asked: { readonly folder: string | null; readonly search: string; readonly page: number; readonly pageSize: number }
) => {
  const { folder, page, pageSize } = asked
  const search = asked.search.trim().toLowerCase()
  const isFound = (name: string) => name.toLowerCase().includes(search)
  const paths = all.map(({ settings }) => folderOf(settings))
  const within = all.filter(({ settings, workflow }) => {
    const path = folderOf(settings)
    return search === "" ? path === folder : (path === folder || Folder.isBelow(path, folder)) && isFound(workflow.name)
  })
  return {
    folderPath: folder ?? "",
    folders: Folder.below(folder, paths)
      .filter(({ name }) => isFound(name))
      .map(({ name, path, workflowCount }) => ({ name, path, workflow_count: workflowCount })),
    allFolderPaths: Folder.all(paths),
    workflows: within.slice(page * pageSize, (page + 1) * pageSize).map(item),
    workflowTotal: within.length,
    page,
    pageSize
  }
}
