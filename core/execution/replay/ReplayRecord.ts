/**
 * The replay record of an attempt: what its pages received, and what came of it. A replay answers every request from it
 * alone.
 */
import { Context, Schema } from "effect"
import { ElementRecord } from "../../agent/recovery/ElementMemory.ts"
import { Reach } from "../../workflow/patch/PlainForm.ts"

/** The name of the format, with its version. A record of another format is not read. */
export const format = "sluice.replay/1"

/** How much the record of an attempt may have. */
export interface ReplayBounds {
  /** Of the bodies, headers and addresses together, in bytes as they are stored. */
  readonly bytes: number
  readonly answers: number
}

export const defaultBounds: ReplayBounds = { bytes: 16 * 1_048_576, answers: 5_000 }

/** The bounds of each record of this installation. */
export const ReplayBounds = Context.Reference<ReplayBounds>("sluice/core/execution/replay/ReplayBounds", {
  defaultValue: () => defaultBounds
})

/** A body: a text in UTF-8, or bytes, in base64 where they are stored. */
export const Body = Schema.Union([
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ bytes: Schema.Uint8ArrayFromBase64 })
])
export type Body = typeof Body.Type

/** A request, and how it was answered. Secrets are removed. */
export const Answer = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  /** The text of the request body; `null` without one, and for one of more than 64 KiB. */
  sent: Schema.NullOr(Schema.String),
  /** A page asked, or a step that sends requests itself, which are answered after redirects. */
  by: Schema.Literals(["page", "step"]),
  /** `null` for a request that failed, or that had no end. */
  status: Schema.NullOr(Schema.Int),
  headers: Schema.Record(Schema.String, Schema.String),
  /** `null` for an answer without one, and for one that is not in the record. */
  body: Schema.NullOr(Body),
  /** Why the answer is not in the record as it was received; `null` for one that is. */
  missing: Schema.NullOr(Schema.String)
})
export type Answer = typeof Answer.Type

const text = Schema.NullOr(Schema.String)

const Cookie = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  domain: Schema.String,
  path: Schema.String,
  expires: Schema.NullOr(Schema.Finite),
  httpOnly: Schema.Boolean,
  secure: Schema.Boolean,
  sameSite: Schema.NullOr(Schema.Literals(["Strict", "Lax", "None"]))
})

const Storage = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))

/** A step that began. */
export const VisitedStep = Schema.Struct({ id: Schema.String, name: Schema.String, action: Schema.String })
export type VisitedStep = typeof VisitedStep.Type

/** An answer of a model or of a person. `about` is the instruction of the model, or the id of the step that asked. */
export const Consulted = Schema.Struct({
  by: Schema.Literals(["model", "person"]),
  about: Schema.String,
  answer: Schema.Json
})
export type Consulted = typeof Consulted.Type

/** How an attempt ended. */
export const Ending = Schema.Struct({
  success: Schema.Boolean,
  output: Schema.Json,
  /** The code, the sentence and the step of its failure. */
  failure: Schema.NullOr(
    Schema.Struct({ code: Schema.String, message: Schema.String, node: Schema.NullOr(VisitedStep) })
  )
})
export type Ending = typeof Ending.Type

export const ReplayRecord = Schema.Struct({
  format: Schema.Literal(format),
  runId: Schema.String,
  workflowId: Schema.String,
  versionId: Schema.String,
  /** When its session was opened, in epoch milliseconds, and for how long it was open. */
  startedAt: Schema.Finite,
  tookMillis: Schema.Finite,
  input: Schema.JsonObject,
  dryRun: Schema.NullOr(Schema.Struct({ addToOutput: Schema.Json })),
  content: Schema.Struct({
    nodes: Schema.Json,
    edges: Schema.Json,
    output_schema: Schema.JsonObject,
    settings: Schema.JsonObject
  }),
  /** The state of the browser at the start. */
  session: Schema.Struct({
    cookies: Schema.Array(Cookie),
    localStorage: Storage,
    sessionStorage: Storage,
    userAgent: text,
    place: Schema.Struct({
      locale: text,
      timeZone: text,
      geolocation: Schema.NullOr(Schema.Struct({ latitude: Schema.Finite, longitude: Schema.Finite }))
    }),
    allowedSites: Schema.Array(Schema.String)
  }),
  /** The credentials, without any value of them. */
  credentials: Schema.Array(
    Schema.Struct({
      alias: Schema.String,
      domain: Schema.String,
      allowedOrigins: Schema.Array(Schema.String),
      tfaMethod: text
    })
  ),
  steps: Schema.Array(VisitedStep),
  ending: Ending,
  /** By the instant at which they were asked for. */
  answers: Schema.Array(Answer),
  /** In the order in which they were asked. */
  consulted: Schema.Array(Consulted),
  /** What earlier runs had remembered of the elements of steps that asked. */
  remembered: Schema.Array(ElementRecord),
  /** The plain forms of steps of models that the attempt had; `null` where it used none. */
  plainForms: Schema.NullOr(
    Schema.Array(Schema.Struct({ ...Reach.fields, nodeId: Schema.String, before: Schema.String, after: Schema.String }))
  ),
  /** The names of the models that there were, the usual one first. */
  models: Schema.Array(Schema.String),
  /** How many further answers there were, beyond the bounds. */
  leftOut: Schema.Int
})
export type ReplayRecord = typeof ReplayRecord.Type

const Text = Schema.fromJsonString(ReplayRecord)

/** The record as a text. */
export const encode = Schema.encodeSync(Text)

/** Reads a text. Fails for one that is no record of this format. */
export const decode = Schema.decodeUnknownEffect(Text)
