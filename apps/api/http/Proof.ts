/**
 * The secrets of requests without a key, which only their routes can check: links to artifacts, tickets of live views,
 * keys and links that sign in, invitations, and the secret of the inbox.
 *
 * A request that proves one is counted under it, not under the address of its client, so that a stranger at the same
 * address does not use up what its holder has.
 */
import { Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse
type Count = (secret: string) => Effect.Effect<Response | null>

/** Counts a request under the secret that it has proved. Returns the answer if that is over its limit. */
export const Proof: Context.Reference<Count> = Context.Reference("sluice/apps/api/http/Proof", {
  defaultValue: (): Count => () => Effect.succeed(null)
})

/** Counts the request under a secret, and answers it unless that is over its limit. */
export const proven = <E, R>(secret: string, answer: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> =>
  Effect.flatMap(Proof, (count) =>
    Effect.flatMap(count(secret), (refusal) => (refusal === null ? answer : Effect.succeed(refusal)))
  )

/** Whether the route at a path checks a secret of its own. */
export const mayFollow = (method: string, path: string): boolean =>
  path.startsWith("/artifacts/") ||
  path.startsWith("/inbound/") ||
  (path.startsWith("/live/") && path.split("/").length > 3) ||
  (method === "POST" && (path === "/console/session" || path === "/invitations/accept"))
