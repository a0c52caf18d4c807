/** Reads the request bodies of components. */
import { Effect, Result, type Schema } from "effect"
import { WorkflowId } from "../../workspace/Ids.ts"
import * as BodyFields from "../../workspace/request/BodyFields.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import * as FieldLimit from "../FieldLimit.ts"
import { problemsOf } from "../language/graph/Paths.ts"
import type { Outcome } from "../sandbox/Operations.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import type { Problem } from "../Workflow.ts"
import { type ComponentData, InvalidComponent } from "./Component.ts"
import { CreateBody, limits, RenameBody, SaveBody } from "./ComponentBody.ts"

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
  const { error, fields } = createFields(body)
  const { componentData, name = "", versionNote = null } = fields
  const judging = judged(error, yield* read(caller, componentData), [...longName(name), ...longNote(versionNote)])
  return { name, data: yield* Effect.fromResult(judging), versionNote }
})

export interface Save {
  readonly data: ComponentData
  readonly versionNote: string | null
  readonly propagate: boolean
  readonly source: WorkflowId | null
}

/** Reads a next version of a component. */
export const readSave = Effect.fnUntraced(function* (caller: Caller, body: unknown): Effect.fn.Return<Save, Refused> {
  const { error, fields } = saveFields(body)
  const { componentData, propagate, sourceWorkflowId, versionNote = null } = fields
  return {
    data: yield* Effect.fromResult(judged(error, yield* read(caller, componentData), longNote(versionNote))),
    versionNote,
    propagate: propagate ?? true,
    source: sourceWorkflowId == null ? null : WorkflowId.make(sourceWorkflowId.toLowerCase())
  }
})

/** The data of a component; nothing where a body has none, as the error of its fields says. */
const read = (
  caller: Caller,
  data: Schema.Json | undefined
): Effect.Effect<Outcome<ComponentData, ReadonlyArray<Problem>>> =>
  data === undefined ? Effect.succeed({ failure: [] }) : readData(caller, data)

const readData = (caller: Caller, data: Schema.Json) =>
  Sandbox.run(caller.workspaceId, "readComponent", { data, path: "componentData" }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.succeed({ failure: [{ path: "componentData", message }] }))
    )
  )

/** Reads a new name of a component. */
export const readName = (body: unknown): Result.Result<string, Refused> => {
  const { error, fields } = renameFields(body)
  return judged(error, { success: fields.name ?? "" }, longName(fields.name ?? ""))
}

const createFields = BodyFields.reader(CreateBody)
const saveFields = BodyFields.reader(SaveBody)
const renameFields = BodyFields.reader(RenameBody)

/** What was read of a body, or everything that is wrong with it. */
const judged = <A>(
  error: Schema.SchemaError | null,
  read: Outcome<A, ReadonlyArray<Problem>>,
  tooLong: ReadonlyArray<FieldLimit.FieldTooLarge>
): Result.Result<A, Refused> => {
  if (error === null && "success" in read) return Result.map(FieldLimit.refuse(tooLong), () => read.success)
  const problems = [
    ...(error === null ? [] : problemsOf(error)),
    ...("failure" in read ? read.failure : []),
    ...FieldLimit.asProblems(tooLong)
  ]
  return Result.fail(new InvalidComponent({ problems }))
}

const longName = (name: string) => FieldLimit.overLength("name", name, limits.name, "COMPONENT_NAME_TOO_LONG")

const longNote = (note: string | null) =>
  FieldLimit.overLength("versionNote", note ?? "", limits.versionNote, "VERSION_NOTE_TOO_LONG")
