/**
 * The lift and the manual pause of a workflow as the interface answers them, and the revision of its run window.
 */
import { Effect, Schema } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import type { InForce } from "../../../core/gate/Gate.ts"
import type { BaseWindow } from "../../../core/gate/Gates.ts"
import * as Errors from "../http/Errors.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"

/** The fields next to a run window in every answer that shows one. */
export const fields = {
  run_window_revision: Schema.Int.annotate({
    description:
      "The number of this run window in the history of the workflow. A change that sends it is refused with 409 if another run window is stored meanwhile"
  }),
  lift: Schema.NullOr(
    Schema.Struct({ since: Schema.String, until: Schema.NullOr(Schema.String), by: Schema.String }).annotate({
      identifier: "RunWindowLift",
      description: "The closed run window counts as open until then; null as until, if it does not open within 400 days"
    })
  ),
  manual_pause: Schema.NullOr(
    Schema.Struct({
      since: Schema.String,
      until: Schema.NullOr(Schema.String),
      by: Schema.String,
      reason: Schema.String
    }).annotate({ identifier: "ManualPause" })
  )
}

export const json = (revision: number, { lift, pause }: InForce) => ({
  run_window_revision: revision,
  lift: lift === null ? null : { since: iso(lift.since), until: isoOrNull(lift.until), by: lift.by },
  manual_pause:
    pause === null
      ? null
      : { since: iso(pause.since), until: isoOrNull(pause.until), by: pause.by, reason: pause.reason }
})

/** Describes the header that names the run window on which a change is based. Requests without it change any. */
export const ifMatch = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    parameters: [
      // Its type names no members: those of OpenAPI are a list.
      ...(operation.parameters as ReadonlyArray<unknown>),
      {
        name: "If-Match",
        in: "header",
        required: false,
        description:
          'The ETag of the run window that was read, such as "3": another one is answered with 409. * is any',
        schema: { type: "string" }
      }
    ]
  })
})

/** The revision of the run window in the header `If-Match` of a request. */
export const base = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ headers }): Effect.Effect<BaseWindow, Errors.BadRequest> => {
    const tag = headers["if-match"]?.trim()
    if (tag === undefined || tag === "*") return Effect.succeed({ revision: null })
    // A compressed answer has its tag as a weak one. Behind the revision stands a hash of the answer, with the pause and lift.
    const [, revision] = /^(?:W\/)?"(\d{1,9})(?:\.[\w-]{1,64})?"$/.exec(tag) ?? []
    return revision === undefined
      ? Effect.fail(
          Errors.invalidAt("If-Match", `Expected the ETag of a run window such as "3", or *, got ${tag.slice(0, 80)}`)
        )
      : Effect.succeed({ revision: Number(revision) })
  }
)

/** Adds the entity tag of a run window to the answer. */
export const tagged = (revision: number) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "etag", `"${revision}"`))
  )
