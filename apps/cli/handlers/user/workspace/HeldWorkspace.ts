/**
 * Reads what a workspace has through the interface of its service. It is read piece by piece: what is changed meanwhile may
 * be in it or not.
 */
import { Effect } from "effect"
import type { Client } from "../../../../api/Client.ts"
import type { VaultRecord } from "../../../../api/vault/VaultApi.ts"
import type { Held } from "../../../user/exchange/WorkspaceFiles.ts"

/** How many requests are on their way at once. */
const concurrency = 4

/** How often a request waits for the limit of requests. */
const mostWaits = 20

const waitOf = (error: unknown): number | null =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  error._tag === "TooManyRequests" &&
  "retryAfterSeconds" in error
    ? Number(error.retryAfterSeconds)
    : null

/** Sends a request again when the service says so, because too many were sent. */
export const patient = <A, E, R>(request: Effect.Effect<A, E, R>, waits = mostWaits): Effect.Effect<A, E, R> =>
  Effect.catchIf(
    request,
    (error) => waits > 0 && waitOf(error) !== null,
    (error) => Effect.delay(patient(request, waits - 1), `${Math.max(1, waitOf(error) ?? 1)} seconds`)
  )

const pagesOf = Effect.fnUntraced(function* <A, E, R>(
  page: (cursor: string | undefined) => Effect.Effect<readonly [ReadonlyArray<A>, { readonly headers: object }], E, R>
) {
  const all: Array<A> = []
  let cursor: string | undefined
  do {
    const [found, { headers }] = yield* patient(page(cursor))
    all.push(...found)
    const next: unknown = Reflect.get(headers, "x-next-cursor")
    cursor = typeof next === "string" ? next : undefined
  } while (cursor !== undefined)
  return all
})

export const heldBy = Effect.fnUntraced(function* (client: Client) {
  const codes = yield* patient(client.errorCodes.listErrorCodes({ query: {} }))
  const listed = yield* patient(client["workflow components"].listComponents())
  const components = yield* Effect.forEach(
    listed,
    ({ id }) => patient(client["workflow components"].getComponent({ params: { component_id: id } })),
    { concurrency }
  )
  const schedules = yield* pagesOf((cursor) =>
    client.schedules.listSchedules({
      query: { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
      responseMode: "decoded-and-response"
    })
  )
  const items = yield* pagesOf((cursor) =>
    client.workflows.list({ query: cursor === undefined ? {} : { cursor }, responseMode: "decoded-and-response" })
  )
  const workflows = yield* Effect.forEach(
    items,
    Effect.fnUntraced(function* ({ id }) {
      const params = { workflow_id: id }
      const view = yield* patient(client.workflows.get({ params }))
      const pace = yield* patient(client.runWindows.getPace({ params }))
      return { view, pace, schedules: schedules.filter(({ workflow_id }) => workflow_id === id) }
    }),
    { concurrency }
  )
  const webhooks = yield* patient(client.webhooks.listEndpoints())
  const entries = [yield* patient(client.vault.listEntries({ query: {} }))].flat() as ReadonlyArray<
    typeof VaultRecord.Type
  >
  const credentials = entries.map(({ domain, permissioned_user_id }) => ({ domain, permissioned_user_id }))
  return { codes, components, workflows, webhooks, credentials } satisfies Held
})
