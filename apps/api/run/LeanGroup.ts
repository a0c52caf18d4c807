/**
 * Groups of endpoints whose handlers get all services when they are made, and none per request.
 *
 * `HttpApiBuilder.group` adds every service of the process to the context of each of its requests, one by one. On the
 * most frequent request that costs more than its routing.
 */
import { Context, Effect, Layer } from "effect"
import { Authorization } from "../http/Authorization.ts"
import { SchemaErrors } from "../http/body/SchemaErrors.ts"
import { EarlyRefusals } from "../http/EarlyRefusals.ts"

/** The group of a layer that needs only the middlewares, which its requests are given, and nothing else. */
export const of = <A, E, R extends Authorization | SchemaErrors | EarlyRefusals>(
  group: Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> =>
  Layer.fromBuild((memoMap, scope) =>
    Effect.updateContext(
      Layer.buildWithMemoMap(group, memoMap, scope),
      (all: Context.Context<R>) =>
        Context.pick(
          Authorization,
          SchemaErrors,
          EarlyRefusals
        )(all as Context.Context<never>) as Context.Context<never> as Context.Context<R>
    )
  )
