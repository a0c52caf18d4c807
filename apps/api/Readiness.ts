import { Context, type Effect } from "effect"

/** Tells why the HTTP interface is not ready, each reason a sentence without its full stop; none when it is. */
export class Readiness extends Context.Service<Readiness, { readonly reasons: Effect.Effect<ReadonlyArray<string>> }>()(
  "sluice/apps/api/Readiness"
) {}
