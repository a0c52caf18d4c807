/** The service that exports, imports and copies workflows. */
import { Clock, Context, Effect, Layer, Option, type Schema } from "effect"
import { isOther, otherwiseDie, type StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import {
  creationOf,
  type Draft,
  type ErrorCode,
  ErrorCodeStore,
  kind as errorCodeKind
} from "../../workspace/ErrorCodes.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkflowId, WorkflowNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { ComponentId } from "../component/Component.ts"
import { ComponentStore, firstVersion } from "../component/ComponentStore.ts"
import * as Instances from "../component/Instances.ts"
import type * as FieldLimit from "../FieldLimit.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import type { InvalidWorkflow } from "../Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../WorkflowStore.ts"
import { tooCostly, Workflows } from "../Workflows.ts"
import * as Bundle from "./Bundle.ts"
import * as ForkBody from "./ForkBody.ts"

type Refused = InvalidWorkflow | FieldLimit.FieldsTooLarge

export class Transfers extends Context.Service<
  Transfers,
  {
    /** The latest version of a workflow with its window and its components, as a bundle. */
    readonly pack: (
      caller: Caller,
      id: WorkflowId
    ) => Effect.Effect<Schema.JsonObject, WorkflowNotFound | StoreUnavailable>

    /**
     * Creates a workflow from a bundle, or from a workflow as the interface returns it. Components of this workspace
     * with the same name and data are used, and error codes with the same name; missing ones are created.
     */
    readonly unpack: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<StoredWorkflow, Refused | RoleForbids | StoreUnavailable>

    /**
     * Creates a workflow from the latest or the given version of another one. The window is copied unless the body has
     * one. A pause is not copied.
     */
    readonly fork: (
      caller: Caller,
      id: WorkflowId,
      body: unknown
    ) => Effect.Effect<StoredWorkflow, Refused | WorkflowNotFound | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/workflow/transfer/Transfers") {
  static readonly layer = Layer.effect(
    Transfers,
    Effect.gen(function* () {
      const workflows = yield* Workflows
      const store = yield* WorkflowStore
      const components = yield* ComponentStore
      const errorCodes = yield* ErrorCodeStore
      const audit = yield* Audit
      const identifiers = yield* Identifiers

      const pack = Effect.fn("Transfers.pack")(function* (caller: Caller, id: WorkflowId) {
        const stored = yield* store.get(caller.workspaceId, id)
        const held = yield* Effect.forEach(Instances.components(stored.version.content.nodes), (component) =>
          components.get(caller.workspaceId, ComponentId.make(component)).pipe(
            Effect.map((found) => [component, found] as const),
            Effect.option
          )
        )
        const known = held.flatMap(Option.toArray).map(([component, found]) => {
          return [component, { name: found.component.name, data: found.version.data }] as const
        })
        const codes = (yield* errorCodes.list(caller.workspaceId)).map((code) => [code.id, described(code)] as const)
        return Bundle.pack(stored, new Map(known), new Map(codes))
      })

      /** The component of this workspace for a part of a bundle, and whether it must be created. */
      const settle = Effect.fnUntraced(function* (caller: Caller, part: Bundle.Part) {
        const text = JSON.stringify(part.data)
        const named = (yield* components.list(caller.workspaceId)).filter(({ name }) => name === part.name)
        for (const { id } of named) {
          const found = yield* Effect.option(components.get(caller.workspaceId, id))
          if (Option.isSome(found) && JSON.stringify(found.value.version.data) === text) {
            return { part, id, isNew: false }
          }
        }
        return { part, id: ComponentId.make(yield* identifiers.uuid), isNew: true }
      })

      /** The error codes of this workspace with the names of those in a bundle. Missing ones are created. */
      const settleCodes = Effect.fnUntraced(function* (
        caller: Caller,
        codes: ReadonlyArray<Bundle.NamedCode>,
        at: number
      ) {
        return yield* Effect.forEach(
          codes,
          Effect.fnUntraced(function* ({ ref, ...code }) {
            const made = { ...drafted(code), id: yield* identifiers.uuid, createdAt: at, updatedAt: at }
            // If a concurrent request creates the same name first, the retry finds its code.
            const attempt = Effect.gen(function* () {
              const found = yield* errorCodes.find(caller.workspaceId, errorCodeKind.key(made))
              if (Option.isSome(found)) return { ref, id: found.value.id, isNew: false }
              yield* audit.recording(caller, errorCodes.insert(caller.workspaceId, made), () => [creationOf(made)])
              return { ref, id: made.id, isNew: true }
            })
            return yield* attempt.pipe(Effect.retry({ times: 10, while: isOther }), otherwiseDie)
          })
        )
      })

      const unpack = Effect.fn("Transfers.unpack")(function* (caller: Caller, body: unknown) {
        const at = yield* Clock.currentTimeMillis
        const codes = (yield* errorCodes.list(caller.workspaceId)).map(({ id }) => id)
        const unpacked = yield* Sandbox.run(caller.workspaceId, "unpack", { body, now: at, errorCodes: codes }).pipe(
          Effect.catchTag("TooCostly", tooCostly)
        )
        const named = unpacked.draft.problems.length > 0 ? [] : yield* settleCodes(caller, unpacked.codes, at)
        const settled = yield* Effect.forEach(unpacked.draft.problems.length > 0 ? [] : unpacked.parts, (part) =>
          settle(caller, part)
        )
        // Check the workflow first, so that a refused import creates no components.
        const ids = new Map([
          ...settled.map(({ id, part }) => [part.ref, id] as const),
          ...named.map(({ id, ref }) => [ref, id] as const)
        ])
        // A workflow from another workspace names components that do not exist here.
        const unknown = yield* Effect.filter(Instances.components(unpacked.draft.content.nodes), (component) =>
          components.get(caller.workspaceId, ComponentId.make(component)).pipe(
            Effect.as(false),
            Effect.catchTag("ComponentNotFound", () => Effect.succeed(true))
          )
        )
        const stored = yield* workflows.createFrom(caller, Bundle.settled(unpacked, ids, unknown)).pipe(
          Effect.tapError(() =>
            Effect.forEach(
              named.filter(({ isNew }) => isNew),
              ({ id }) => errorCodes.remove(caller.workspaceId, id),
              { discard: true }
            )
          )
        )
        yield* Effect.forEach(
          settled.filter(({ isNew }) => isNew),
          Effect.fnUntraced(function* ({ id, part }) {
            const versionId = yield* identifiers.uuid
            const { data, name } = part
            yield* components.create(firstVersion(caller, { id, versionId, name, data, versionNote: null }, at))
          }),
          { discard: true }
        )
        return stored
      })

      const fork = Effect.fn("Transfers.fork")(function* (caller: Caller, id: WorkflowId, body: unknown) {
        const latest = yield* store.get(caller.workspaceId, id)
        const asked = yield* Effect.fromResult(ForkBody.read(body, yield* Clock.currentTimeMillis))
        const original =
          asked.versionNumber === null ? latest : yield* store.version(caller.workspaceId, id, asked.versionNumber)
        return yield* workflows.createFrom(caller, ForkBody.draft(original, asked))
      })

      return Transfers.of({ pack, unpack, fork })
    }).pipe(Permissions.checked<Transfers["Service"]>({ pack: "read", unpack: "edit", fork: "edit" }))
  )
}

/** An error code in the form of a bundle. */
const described = (code: ErrorCode): Bundle.Code => ({
  error_code: code.name,
  description: code.description,
  enriched_description: code.enrichedDescription,
  error_action: code.action,
  retries: code.retries,
  retry_after: code.retryAfterSeconds
})

/** An error code of a bundle as a draft for the workspace. */
const drafted = (code: Bundle.Code): Draft => ({
  name: code.error_code.trim(),
  description: code.description,
  enrichedDescription: code.enriched_description,
  action: code.error_action,
  retries: code.retries,
  retryAfterSeconds: code.retry_after
})
