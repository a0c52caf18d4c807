/**
 * Annotations of endpoints beside their schemas. The middlewares read them from the endpoint that a request matches,
 * and the OpenAPI description includes them.
 */
import { Context } from "effect"
import type { Ability } from "../../core/workspace/Workspace.ts"
import * as Errors from "./http/Errors.ts"

/** The ability that a caller needs. An endpoint without it is for Owners alone. */
export const Needs = Context.Reference<Ability>("sluice/apps/api/Needs", { defaultValue: () => "manage" })

/** Converts MiB to bytes. */
export const mebibytes = (count: number): number => count * 1_048_576

/** The largest accepted request body, in bytes. */
export const MaxBody = Context.Reference<number>("sluice/apps/api/MaxBody", { defaultValue: () => mebibytes(1) })

/** The body may be a form as well: a file in the field `file`, in place of `file_name` and `content`. */
export const TakesForm = Context.Reference<boolean>("sluice/apps/api/TakesForm", { defaultValue: () => false })

/** The handler sends requests to other hosts before it answers, so it must not run within a transaction. */
export const ReachesOut = Context.Reference<boolean>("sluice/apps/api/ReachesOut", { defaultValue: () => false })

/** A successful answer contains a secret that is returned only once, so the answer is not stored for repetitions. */
export const TellsSecret = Context.Reference<boolean>("sluice/apps/api/TellsSecret", { defaultValue: () => false })

/** What it makes outlives a session, which must have signed in a short time before. */
export const NeedsFreshSignIn = Context.Reference<boolean>("sluice/apps/api/NeedsFreshSignIn", {
  defaultValue: () => false
})

/** No answer of this group may be stored, by the caller or by a proxy. It is an annotation of groups. */
export const NoStore = Context.Reference<boolean>("sluice/apps/api/NoStore", { defaultValue: () => false })

/** The handler takes the tags of `If-Match`. Other writing endpoints are refused with any tag. */
export const TakesTags = Context.Reference<boolean>("sluice/apps/api/TakesTags", { defaultValue: () => false })

/** The error body for a request body that cannot be read or that does not fit. */
export const InvalidBody = Context.Reference<typeof Errors.invalidBody>("sluice/apps/api/InvalidBody", {
  defaultValue: () => Errors.invalidBody
})

/** The description of every endpoint that answers with a stream of events. */
export const streamLimits =
  "The number of open streams and live views is limited: by default 200 per key and 1,000 per workspace in each process. A further one is answered with 429 until another one is closed. The connection of a client that reads nothing for 30 seconds (default) is closed. Its next stream continues after the last event that it received, by `Last-Event-ID` where the stream supports it."
