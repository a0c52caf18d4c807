/** The forms of the request bodies that create a component, save a new version of one, or rename it. */
import { Schema } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import { WorkflowId } from "../../workspace/Ids.ts"
import { optional } from "../../workspace/request/ParsedJson.ts"
import { Text } from "../SaveBody.ts"

export const limits = { name: 100, versionNote: 500 } as const

const name = Text.check(Schema.isNonEmpty({ message: "Expected a name" }), TextLength.judgedElsewhere(limits.name))
const versionNote = optional(Text.check(TextLength.judgedElsewhere(limits.versionNote)))

export const CreateBody = Schema.Struct({
  name,
  componentData: Schema.Json,
  versionNote
}).annotate({ identifier: "ComponentToCreate" })

export const SaveBody = Schema.Struct({
  componentData: Schema.Json,
  versionNote,
  /** Whether the workflows that contain the component get the new version. Default: `true`. */
  propagate: optional(Schema.Boolean),
  /** The workflow in which the component was edited. It already has the new version. */
  sourceWorkflowId: optional(WorkflowId)
}).annotate({ identifier: "ComponentToSave" })

export const RenameBody = Schema.Struct({ name }).annotate({ identifier: "ComponentToRename" })
