/**
 * Conversations and failed runs, for tests that need some.
 */
import { Effect } from "effect"
import { failure } from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { graph } from "./fixtures.ts"
import { home } from "./hosted.ts"
import { type Member, Service } from "./service.ts"
import { until } from "./waiting.ts"

const workflow = { name: "Nightly", ...graph() }

/** Makes a run fail. */
export const failedRun = (id: string) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const claimed = yield* runs.claim({ worker: "w", limit: 10_000, leaseMillis: 1e12 })
    const own = claimed.find(({ run }) => run.id === id)
    if (own !== undefined) {
      const fence = own.run.lease?.fence ?? 0
      const errors = [failure(own.run, "SELECTOR-E0001", "No such element", 0)]
      yield* runs
        .settle({ id: own.run.id, fence }, (locked, at) =>
          Transition.finish(locked, { _tag: "Failed", data: {}, errors }, at)
        )
        .pipe(Effect.orDie)
    }
    return id
  })

/** Idle conversations of a workspace, and conversations with a question, at most as many as the workspace may have. */
export const conversationsOf = Effect.fnUntraced(function* ({ key }: Member) {
  const { send } = yield* Service
  const base = "/workflow-builder/agent"
  let asking: string | null = null
  const post = (path: string, json: unknown) => send({ method: "POST", path, key, json })
  const endAll = Effect.gen(function* () {
    const { body } = yield* send({ method: "GET", path: `${base}/sessions`, key })
    for (const { conversationId } of body.sessions as ReadonlyArray<{ readonly conversationId: string }>) {
      yield* send({ method: "DELETE", path: `${base}/${conversationId}`, key })
    }
  })
  const idle = Effect.gen(function* () {
    yield* endAll
    const { body } = yield* post(`${base}/session`, { name: "New", startUrl: home })
    const id = String(body.conversationId)
    const status = send({ method: "GET", path: `${base}/${id}/status`, key })
    yield* until("the end of a turn", status, (answer) => answer.body.isProcessing !== true)
    return id
  })
  const question = Effect.gen(function* () {
    yield* endAll
    const input_schema = { type: "object", properties: { user: { type: "string" } }, required: ["user"] }
    const made = yield* post("/workflows", { ...workflow, input_schema })
    const opened = yield* post(`${base}/session/from-workflow`, { workflowId: made.body.id })
    asking = String(opened.body.conversationId)
    const { body } = yield* send({ method: "GET", path: `${base}/${asking}/messages`, key })
    return (body.messages as ReadonlyArray<{ readonly id: string }>)[0]?.id ?? ""
  })
  return {
    question,
    /** The conversation of the latest question, or else one that waits for a message. */
    id: Effect.suspend(() => {
      const id = asking
      asking = null
      return id === null ? idle : Effect.succeed(id)
    })
  }
})
