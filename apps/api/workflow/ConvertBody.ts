/** Files of other programs, and the workflows that are made of them. */
import { Schema } from "effect"
import { formats, outcomes } from "../../../core/workflow/convert/Recording.ts"
import { optional } from "../http/body/Fields.ts"
import type { WorkflowToSave } from "./WorkflowBody.ts"
import { WorkflowWarning } from "./WorkflowView.ts"

export const FileToConvert = Schema.Struct({
  file_name: optional(Schema.String.annotate({ description: "The name of the file, for people" })),
  content: Schema.String.annotate({ description: "The text of the file, of at most 8000000 characters" })
}).annotate({ identifier: "FileToConvert" })

const ReportEntry = Schema.Struct({
  step: Schema.String.annotate({ description: "The path of the step in the file, or its number in a script" }),
  line: Schema.NullOr(Schema.Int),
  kind: Schema.String.annotate({ description: "What the file calls the step" }),
  outcome: Schema.Literals(outcomes),
  message: Schema.NullOr(Schema.String).annotate({
    description:
      "What changes; or why the step is not translated, and what to do. null for a step that is kept as it is"
  }),
  nodes: Schema.Array(Schema.String).annotate({ description: "The ids of the nodes that the step became" }),
  selectors: Schema.Array(Schema.String).annotate({
    description: "Other selectors that the file offers for the element of the step, the most durable first"
  })
}).annotate({ identifier: "ConversionReportEntry" })

export const ConvertedWorkflow = Schema.Struct({
  format: Schema.Literals(formats),
  // What is made is a body of this form, and is not checked again.
  workflow: Schema.JsonObject as unknown as Schema.Codec<typeof WorkflowToSave.Encoded>,
  report: Schema.Array(ReportEntry),
  inputs: Schema.Array(
    Schema.Struct({ name: Schema.String, example: Schema.optionalKey(Schema.String), reason: Schema.String })
  ),
  credentials: Schema.Array(
    Schema.Struct({ alias: Schema.String, domain: Schema.String, fields: Schema.Array(Schema.String) })
  ),
  warnings: Schema.Array(WorkflowWarning)
}).annotate({ identifier: "ConvertedWorkflow" })
