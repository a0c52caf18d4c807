/**
 * The request bodies that create a component, save a new version of one, or rename it.
 */
import { Effect, Result, Schema } from "effect"
import { WorkflowId } from "../../workspace/Ids.ts"
import { optional } from "../../workspace/request/ParsedJson.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import * as FieldLimit from "../FieldLimit.ts"
import { problemsOf } from "../language/graph/Paths.ts"
import { Text } from "../SaveBody.ts"
import type { Outcome } from "../sandbox/Operations.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import type { Problem } from "../Workflow.ts"
import { type ComponentData, InvalidComponent } from "./Component.ts"

const name = Text.check(Schema.isNonEmpty({ message: "Expected a name" }))

export const CreateBody = Schema.Struct({
  name,
  componentData: Schema.Json,
  versionNote: optional(Text)
}).annotate({ identifier: "ComponentToCreate" })

export const SaveBody = Schema.Struct({
  componentData: Schema.Json,
  versionNote: optional(Text),
  /** Whether the workflows that contain the component get the new version. Default: `true`. */
  propagate: optional(Schema.Boolean),
  /** The workflow in which the component was edited. It already has the new version. */
  sourceWorkflowId: optional(WorkflowId)
}).annotate({ identifier: "ComponentToSave" })

export const RenameBody = Schema.Struct({ name }).annotate({ identifier: "ComponentToRename" })

type Refused = InvalidComponent | FieldLimit.FieldsTooLarge

export interface Create {
  readonly name: string
  readonly data: ComponentData
  readonly versionNote: string | null
}

/** Reads a new component. Fails with every problem; with `FieldsTooLarge` only if there is no other. */
export const readCreate = Effect.fnUntraced(function* (
  caller: Caller,
  body: unknown
): Effect.fn.Return<Create, Refused> {
  const sent = yield* Effect.fromResult(decoded(decodeCreate, body))
  const versionNote = sent.versionNote ?? null
  const data = yield* read(caller, sent.componentData)
  const judging = judged(data, [...longName(sent.name), ...longNote(versionNote)])
  return { name: sent.name, data: yield* Effect.fromResult(judging), versionNote }
})

export interface Save {
  readonly data: ComponentData
  readonly versionNote: string | null
  readonly propagate: boolean
  readonly source: WorkflowId | null
}

/** Reads a next version of a component. */
export const readSave = Effect.fnUntraced(function* (caller: Caller, body: unknown): Effect.fn.Return<Save, Refused> {
  const sent = yield* Effect.fromResult(decoded(decodeSave, body))
  const versionNote = sent.versionNote ?? null
  const data = yield* read(caller, sent.componentData)
  return {
    data: yield* Effect.fromResult(judged(data, longNote(versionNote))),
    versionNote,
    propagate: sent.propagate ?? true,
    source: sent.sourceWorkflowId == null ? null : WorkflowId.make(sent.sourceWorkflowId.toLowerCase())
  }
})

const read = (caller: Caller, data: Schema.Json) =>
  Sandbox.run(caller.workspaceId, "readComponent", { data, path: "componentData" }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.succeed({ failure: [{ path: "componentData", message }] }))
    )
  )

/** Reads a new name of a component. */
export const readName = (body: unknown): Result.Result<string, Refused> =>
  Result.flatMap(decoded(decodeRename, body), (sent) =>
    Result.map(FieldLimit.refuse(longName(sent.name)), () => sent.name)
  )

const decodeCreate = Schema.decodeUnknownResult(CreateBody, { errors: "all" })
const decodeSave = Schema.decodeUnknownResult(SaveBody, { errors: "all" })
const decodeRename = Schema.decodeUnknownResult(RenameBody, { errors: "all" })

const decoded = <A>(
  decode: (body: unknown) => Result.Result<A, Schema.SchemaError>,
  body: unknown
): Result.Result<A, InvalidComponent> =>
  Result.mapError(decode(body), (error) => new InvalidComponent({ problems: problemsOf(error) }))

const judged = (
  data: Outcome<ComponentData, ReadonlyArray<Problem>>,
  tooLong: ReadonlyArray<FieldLimit.FieldTooLarge>
): Result.Result<ComponentData, Refused> =>
  "failure" in data
    ? Result.fail(new InvalidComponent({ problems: [...data.failure, ...FieldLimit.asProblems(tooLong)] }))
    : Result.map(FieldLimit.refuse(tooLong), () => data.success)

const longName = (name: string) => FieldLimit.overLength("name", name, 100, "COMPONENT_NAME_TOO_LONG")

const longNote = (note: string | null) => FieldLimit.overLength("versionNote", note ?? "", 500, "VERSION_NOTE_TOO_LONG")
