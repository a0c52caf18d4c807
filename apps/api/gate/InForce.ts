/**
 * The lift and the manual pause of a workflow as the interface answers them, and the revision of its run window.
 */
import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import type { InForce } from "../../../core/gate/Gate.ts"
import type { BaseWindow } from "../../../core/gate/Gates.ts"
import * as Errors from "../http/Errors.ts"
import * as IfMatch from "../http/IfMatch.ts"
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
export const ifMatch = IfMatch.described(
  'The ETag of the run window that was read, such as "3": another one is answered with 409. * is any'
)

/** The revision of the run window in the header `If-Match` of a request. */
export const base = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ headers }): Effect.Effect<BaseWindow, Errors.BadRequest> => {
    const tags = IfMatch.tagsOf(headers)
    if (tags === null) return Effect.succeed({ revision: null })
    const [tag = ""] = tags
    return tags.length === 1 && /^\d{1,9}$/.test(tag)
      ? Effect.succeed({ revision: Number(tag) })
      : Effect.fail(
          Errors.invalidAt(
            "If-Match",
            `Expected the ETag of a run window such as "3", or *, got ${tags.join(", ").slice(0, 80)}`
          )
        )
  }
)
