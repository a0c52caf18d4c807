/** Ids of runs as they stand in paths. */
import { Effect, Schema } from "effect"
import { RunId, RunNotFound } from "../../../core/run/Run.ts"
import * as Errors from "../request/Errors.ts"

/** An id as it stands in a path. What is no UUID is the id of no run. */
export const runId = (text: string) =>
  Schema.decodeUnknownEffect(RunId)(text).pipe(
    Effect.mapError(() => Errors.notFound(new RunNotFound({ sessionId: text })))
  )
