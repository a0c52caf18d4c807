/** The parsers of requests to the endpoints of conversations, and the JSON of a draft. */

import { Effect, Schema } from "effect"
import type { Conversation } from "../../../core/builder/Conversation.ts"
import * as Draft from "../../../core/builder/Draft.ts"
import * as Progress from "../../../core/builder/Progress.ts"
import type { Describing } from "../../../core/builder/proposal/Describing.ts"
import type { RunWindow } from "../../../core/window/RunWindow.ts"
import type { StoredWorkflow } from "../../../core/workflow/WorkflowStore.ts"
import * as Json from "../../../core/workspace/Json.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import type { DraftJson } from "./BuilderApi.ts"

/** A part of the messages of a conversation. */
export interface Page {
  readonly limit: number
  readonly offset: number
  /** Counted from the last message backwards. */
  readonly tail: boolean
}

const defaultLimit = 100
const maxLimit = 1_000

/** Reads a page; everything that is wrong is reported at its parameter. */
export const read = Effect.fnUntraced(function* (query: {
  readonly limit?: string
  readonly offset?: string
  readonly tail?: string
}) {
  const problems: Array<{ readonly path: string; readonly message: string }> = []
  const number = (path: "limit" | "offset" | "tail", text: string, minimum: number, maximum: number): number => {
    const value = Number(text)
    if (!/^\d{1,9}$/.test(text) || value < minimum || value > maximum) {
      problems.push({ path, message: `Expected a number from ${minimum} to ${maximum}, got "${text.slice(0, 80)}"` })
    }
    return value
  }
  const { tail = "false" } = query
  // A bare `tail`, and the number of messages from the end, are what people write on a command line.
  const counted = /^\d{1,9}$/.test(tail) && tail !== "0"
  if (!counted && !["", "true", "false", "0"].includes(tail)) {
    problems.push({ path: "tail", message: `Expected true or false, got "${tail.slice(0, 80)}"` })
  }
  const limit =
    query.limit === undefined && counted
      ? number("tail", tail, 1, maxLimit)
      : number("limit", query.limit ?? String(defaultLimit), 1, maxLimit)
  const offset = number("offset", query.offset ?? "0", 0, 999_999_999)
  if (problems.length > 0) return yield* Effect.fail(Errors.invalid(problems))
  return { limit, offset, tail: counted || tail === "" || tail === "true" } satisfies Page
})

/** The numbers of the messages on a page, and whether there are more beyond it. */
export const range = (
  { limit, offset, tail }: Page,
  total: number
): { readonly from: number; readonly to: number; readonly hasMore: boolean } => {
  if (!tail) return { from: offset + 1, to: offset + limit, hasMore: offset + limit < total }
  const to = total - offset
  return { from: to - limit + 1, to, hasMore: to > limit }
}

const isObject = Schema.is(Schema.JsonObject)

/** The inputs that a conversation works with: an example, as an object or as its JSON text, and what is given beside it. */
export const inputs = Effect.fnUntraced(function* (example: Schema.Json, beside: Schema.JsonObject) {
  const value = typeof example === "string" && example.trim() !== "" ? parsed(example) : example
  if (value === null || value === "") return beside
  if (isObject(value)) return { ...value, ...beside }
  return yield* Effect.fail(Errors.invalidAt("jsonExample", "Expected an object, or the JSON text of one"))
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return false
  }
}

/** The settings of a workflow that is opened with these fields. */
export const settings = (payload: {
  readonly proxySetting?: string | null
  readonly proxyValue?: string | null
  readonly enableNetworkListener?: boolean | null
}): Schema.JsonObject => ({
  ...(payload.proxySetting == null ? {} : { proxy_setting: payload.proxySetting }),
  ...(payload.proxyValue == null ? {} : { proxy_value: payload.proxyValue }),
  ...(payload.enableNetworkListener == null ? {} : { enable_network_listener: payload.enableNetworkListener })
})

/**
 * The login of a new workflow: its credential, and its address, which is the start page unless another one is given.
 */
export const login = (payload: {
  readonly startUrl: string
  readonly permissionedUserId?: string | null
  readonly authUrl?: string | null
}) =>
  payload.permissionedUserId == null || payload.permissionedUserId === ""
    ? null
    : { permissionedUserId: payload.permissionedUserId, site: payload.authUrl || payload.startUrl }

const describingJson = ({ awaited, bounds, spent, state, task }: Describing) => ({
  task,
  state,
  budget: bounds,
  spent,
  awaited
})

/** A draft in the shape of the workflow that it changes, or of one that is not saved yet. */
export const draft = (one: Conversation, stored: StoredWorkflow | null): typeof DraftJson.Type => {
  const { settings, ...content } = one.draft.content
  const window: RunWindow | null = stored?.gate.runWindow ?? null
  return {
    ...settings,
    id: stored?.workflow.id ?? null,
    name: one.draft.name,
    description: one.draft.description,
    created_at: iso(stored?.workflow.createdAt ?? one.startedAt),
    updated_at: iso(stored?.workflow.updatedAt ?? one.startedAt),
    workspace_id: one.workspaceId,
    created_by: stored?.workflow.createdBy ?? one.userId,
    version_id: stored === null ? null : (one.origin?.versionId ?? null),
    version_number: stored === null ? null : (one.origin?.versionNumber ?? null),
    ...content,
    // A draft holds a list of nodes and an object of edges.
    nodes: content.nodes as ReadonlyArray<Schema.JsonObject>,
    edges: Json.objectOf(content.edges),
    loop: Draft.loopAround(one.draft),
    cursor: one.draft.cursor,
    progress: one.page ? (one.progress ?? Progress.none) : Progress.none,
    repair: one.repair ?? null,
    describing: one.describing === undefined ? null : describingJson(one.describing),
    unsaved: one.draft.unsaved === true,
    can_redo: (one.draft.undone?.length ?? 0) > 0,
    can_undo: one.draft.edits.length > 0,
    run_window: window
  }
}
