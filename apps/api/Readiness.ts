import { Context, type Effect } from "effect"

/** Tells whether the service can do its work: whether its database answers. */
export class Readiness extends Context.Service<Readiness, { readonly ready: Effect.Effect<boolean> }>()(
  "sluice/apps/api/Readiness"
) {}
