import { Context, type Effect } from "effect"

/** Returns whether the service is ready: whether its database answers. */
export class Readiness extends Context.Service<Readiness, { readonly ready: Effect.Effect<boolean> }>()(
  "sluice/apps/api/Readiness"
) {}
