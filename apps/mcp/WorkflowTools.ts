/** The tools of workflows: they are read, drafted, edited in parts, checked and saved. */
import { randomUUID } from "node:crypto"
import { Clock, Effect, Result, Schema } from "effect"
import { type ActionName, isServed, parameters, unserved } from "../../core/workflow/language/graph/Action.ts"
import { edgeNames } from "../../core/workflow/language/graph/GraphCheck.ts"
import * as SaveBody from "../../core/workflow/SaveBody.ts"
import type { Client, WorkflowToSave } from "../api/Client.ts"
import type { WorkflowPace } from "../api/gate/GatesApi.ts"
import type { WorkflowView } from "../api/workflow/WorkflowView.ts"
import * as Steps from "./Steps.ts"
import { tool, unusable } from "./Tool.ts"

const workflow_id = Schema.String
const said = (description: string) => Schema.String.annotate({ description })
const given = (description: string) => Schema.optionalKey(said(description))

/** The tag that marks a workflow as a draft. */
export const draftTag = "draft"

type View = typeof WorkflowView.Type

/** The graph of a workflow that is saved, and therefore valid. */
const graphOf = ({ edges, nodes }: View) => ({ nodes, edges }) as unknown as Steps.Graph

const read = (client: Client, workflow_id: string) => client.workflows.get({ params: { workflow_id } })

const summary = ({ description, max_retries, name, tags, version_number, workflow_id }: View) => ({
  workflow_id,
  name,
  description,
  tags: tags ?? [],
  version: version_number,
  is_draft: (tags ?? []).includes(draftTag),
  max_retries
})

/** What a save sends: the workflow as it was read, without its run window, which edits here never change. */
const bodyOf = (view: View): WorkflowToSave => {
  const { id, lift, manual_pause, run_window, run_window_revision, version_note, warnings, workflow_id, ...body } = view
  // What is answered is accepted, and fields of the answer alone are ignored.
  return { ...body, base_version_id: view.version_id } as unknown as WorkflowToSave
}

const listWorkflows = tool({
  name: "list_workflows",
  title: "List workflows",
  description: "Find workflows by name. Drafts have the tag draft.",
  needs: "read",
  fields: {
    search: given("Part of the name"),
    page: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))
  },
  run: ({ page = 0, search }, { client }) =>
    Effect.map(
      client.workflows.folders({
        query: { search: search ?? "", page, page_size: 30 }
      }),
      ({ workflowTotal, workflows }) => ({
        data: {
          total: workflowTotal,
          page,
          workflows: workflows.map(({ description, folder_path, id, name, tags, updated_at }) => ({
            workflow_id: id,
            name,
            description: description?.slice(0, 200) ?? null,
            folder: folder_path,
            tags,
            updated_at
          }))
        }
      })
    )
})

const getWorkflow = tool({
  name: "get_workflow",
  title: "Read a workflow",
  description: "Read the steps of a workflow in their order, its schemas, run window and warnings.",
  needs: "read",
  fields: {
    workflow_id,
    steps: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "Only these steps, by name or id; else all" })
    )
  },
  run: ({ steps, workflow_id }, { client }) =>
    Effect.gen(function* () {
      const view = yield* read(client, workflow_id)
      const { warnings } = yield* client.workflows.warnings({ params: { workflow_id } })
      const all = Steps.outline(graphOf(view))
      return {
        data: {
          ...summary(view),
          steps: steps === undefined ? all : all.filter(({ id, name }) => steps.includes(id) || steps.includes(name)),
          input_schema: view.input_schema,
          output_schema: view.output_schema,
          vault_schema: view.vault_schema,
          run_window: view.run_window,
          manual_pause: view.manual_pause,
          warnings
        }
      }
    })
})

/** A schema without the alternative `null`, which only says that a parameter may be absent. */
const plain = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== "object" || schema === null) return schema
  const { additionalProperties, anyOf, ...rest } = schema as Readonly<Record<string, unknown>>
  const others = Array.isArray(anyOf) ? anyOf.filter((one) => (one as { type?: unknown }).type !== "null") : []
  const [only] = others
  const inner = others.length === 1 ? { ...(only as object) } : others.length > 1 ? { anyOf: others } : {}
  return Object.fromEntries(
    Object.entries({ ...rest, ...inner })
      .filter(([name]) => name !== "additionalProperties")
      .map(([name, value]) => [name, plain(value)])
  )
}

const describeAction = tool({
  name: "describe_action",
  title: "Describe an action",
  description: "The parameters of an action as a JSON schema; without a name, all actions.",
  needs: "read",
  fields: { action: Schema.optionalKey(Schema.String) },
  run: ({ action }) => {
    const names = Object.keys(parameters)
    if (action === undefined) return Effect.succeed({ data: { actions: names } })
    if (!isServed(action)) {
      const why = Object.hasOwn(unserved, action) ? ` (${unserved[action]})` : ""
      return Effect.fail(
        unusable(`There is no action ${action.slice(0, 80)}${why}: the actions are ${names.join(", ")}`)
      )
    }
    const { definitions, schema } = Schema.toJsonSchemaDocument(parameters[action satisfies ActionName])
    return Effect.succeed({
      data: {
        action,
        edges: action === "END" ? [] : edgeNames(action),
        parameters: plain({ ...schema, ...(Object.keys(definitions).length === 0 ? {} : { definitions }) })
      }
    })
  }
})

/** Gives a draft the pause and the pace of its workflow: a try of it must not start more, or earlier, than a run would. */
const hold = (client: Client, draft_id: string, { manual_pause }: View, pace: typeof WorkflowPace.Type) =>
  Effect.gen(function* () {
    const params = { workflow_id: draft_id }
    if (manual_pause !== null) {
      const { reason, until } = manual_pause
      yield* client.runWindows.pause({ params, payload: { reason, ...(until === null ? {} : { until }) } })
    }
    if (pace.max_running !== null || pace.max_starts_per_minute !== null) {
      yield* client.runWindows.setPace({ params, payload: pace })
    }
  }).pipe(Effect.tapError(() => Effect.ignore(client.workflows.remove({ params: { workflow_id: draft_id } }))))

const draftWorkflow = tool({
  name: "draft_workflow",
  title: "Draft a workflow",
  description:
    "Make a draft: a copy of a workflow with its run window, pause and pace, or a new one from START at a url to END.",
  needs: "edit",
  fields: {
    workflow_id: given("The workflow to copy"),
    name: given("Name, required for a new one"),
    url: given("First page of a new one")
  },
  run: ({ name, url, workflow_id }, { client }) =>
    Effect.gen(function* () {
      const original = workflow_id === undefined ? null : yield* read(client, workflow_id)
      if (original === null && (name === undefined || url === undefined)) {
        return yield* unusable("Expected workflow_id, to copy that workflow, or name and url, to begin a new one")
      }
      const pace =
        original === null ? null : yield* client.runWindows.getPace({ params: { workflow_id: original.workflow_id } })
      const [start, end] = [randomUUID(), randomUUID()]
      const begun = {
        nodes: [
          { id: start, name: "Open", action: "START" as const, parameters: { url: url ?? "" } },
          { id: end, name: "Done", action: "END" as const, parameters: {} }
        ],
        edges: { [start]: { to: end } },
        name: name ?? ""
      }
      const { base_version_id, ...body } = original === null ? { ...begun, base_version_id: null } : bodyOf(original)
      const made = yield* client.workflows.create({
        payload: {
          ...body,
          name: name ?? `${original?.name.slice(0, 240) ?? ""} (draft)`,
          tags: [...new Set([...(original?.tags ?? []), draftTag])],
          ...(original === null ? {} : { run_window: original.run_window })
        } as WorkflowToSave
      })
      if (original !== null && pace !== null) yield* hold(client, made.workflow_id, original, pace)
      return {
        data: {
          draft_id: made.workflow_id,
          version: made.version_number,
          ...(original === null ? {} : { workflow_id: original.workflow_id, base_version: original.version_number }),
          steps: Steps.outline(graphOf(made))
        }
      }
    })
})

/** What an edit may set beside steps. */
const settable = ["name", "description", "input_schema", "output_schema", "vault_schema", "max_retries"] as const

const editWorkflow = tool({
  name: "edit_workflow",
  title: "Edit a workflow",
  description:
    "Apply edits in order, check the whole, save it as the next version. Nothing is saved if a problem is found. Edit a draft rather than what is in use.",
  needs: "edit",
  fields: {
    workflow_id,
    version: Schema.Int.annotate({ description: "The version that was read" }),
    edits: Schema.optionalKey(Schema.Array(Steps.Edit).check(Schema.isMaxLength(100))),
    set: Schema.optionalKey(Schema.JsonObject.annotate({ description: `Fields: ${settable.join(", ")}` })),
    check_only: Schema.optionalKey(Schema.Boolean)
  },
  run: ({ check_only = false, edits = [], set = {}, version, workflow_id }, { client }) =>
    Effect.gen(function* () {
      const view = yield* read(client, workflow_id)
      if (view.version_number !== version) {
        return yield* unusable(
          `The workflow is at version ${view.version_number}, and the edits are for version ${version}: read it again`
        )
      }
      const unknown = Object.keys(set).filter((name) => !settable.some((one) => one === name))
      if (unknown.length > 0) {
        return yield* unusable(`Cannot set ${unknown.join(", ").slice(0, 200)} here: expected ${settable.join(", ")}`)
      }
      const edited = Steps.apply(graphOf(view), edits, randomUUID)
      if (Result.isFailure(edited)) {
        return yield* unusable(`The edits cannot be applied: ${edited.failure.message}`, [edited.failure])
      }
      const payload = { ...bodyOf(view), ...set, ...edited.success } as unknown as WorkflowToSave
      if (check_only) {
        const { problems } = SaveBody.read(payload, yield* Clock.currentTimeMillis)
        return { data: { valid: problems.length === 0, problems, steps: Steps.outline(edited.success) } }
      }
      const saved = yield* client.workflows.save({ params: { workflow_id }, payload })
      return {
        data: {
          workflow_id,
          version: saved.version_number,
          changed: saved.version_number !== version,
          warnings: saved.warnings ?? [],
          steps: Steps.outline(graphOf(saved)).map(({ action, id, leads_to, name }) => ({ name, id, action, leads_to }))
        }
      }
    })
})

const saveDraft = tool({
  name: "save_draft",
  title: "Save a draft",
  description:
    "Save a draft as the next version of its workflow, whose run window stays, and delete the draft. A new draft without workflow_id becomes a workflow.",
  needs: "edit",
  destructive: true,
  fields: {
    draft_id: Schema.String,
    workflow_id: Schema.optionalKey(Schema.String),
    base_version: Schema.optionalKey(Schema.Int.annotate({ description: "base_version of draft_workflow" })),
    version_note: Schema.optionalKey(Schema.String)
  },
  run: ({ base_version, draft_id, version_note, workflow_id }, { client }) =>
    Effect.gen(function* () {
      const draft = yield* read(client, draft_id)
      if (!(draft.tags ?? []).includes(draftTag)) {
        return yield* unusable(`Workflow ${draft_id} is no draft: expected one that draft_workflow made`)
      }
      const note = version_note === undefined ? {} : { version_note }
      const tags = (draft.tags ?? []).filter((tag) => tag !== draftTag)
      if (workflow_id === undefined || workflow_id === draft_id) {
        const saved = yield* client.workflows.save({
          params: { workflow_id: draft_id },
          payload: { ...bodyOf(draft), ...note, tags } as WorkflowToSave
        })
        return { data: { workflow_id: draft_id, version: saved.version_number, draft_removed: false } }
      }
      const target = yield* read(client, workflow_id)
      if (base_version !== target.version_number) {
        return yield* unusable(
          `Workflow ${workflow_id} is at version ${target.version_number}, and the draft is of version ${base_version ?? "none"}: expected base_version ${target.version_number} once its changes are in the draft`
        )
      }
      const saved = yield* client.workflows.save({
        params: { workflow_id },
        payload: {
          ...bodyOf(draft),
          ...note,
          name: target.name,
          tags,
          base_version_id: target.version_id
        } as WorkflowToSave
      })
      yield* client.workflows.remove({ params: { workflow_id: draft_id } })
      return {
        data: { workflow_id, version: saved.version_number, draft_removed: true, warnings: saved.warnings ?? [] }
      }
    })
})

export const reading = [listWorkflows, getWorkflow, describeAction] as const
export const editing = [draftWorkflow, editWorkflow, saveDraft] as const
