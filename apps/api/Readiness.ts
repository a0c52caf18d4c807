import { Context, type Effect } from "effect"

/** The reasons why the HTTP interface is not ready, as sentences without full stops; none if it is ready. */
export class Readiness extends Context.Service<Readiness, { readonly reasons: Effect.Effect<ReadonlyArray<string>> }>()(
  "sluice/apps/api/Readiness"
) {}
