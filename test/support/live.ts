/** Live views, requested as by their pages. */
import { Effect } from "effect"
import { RunStore } from "../../core/run/RunStore.ts"
import { type Member, Service } from "./service.ts"

/** Submits a run of a workflow and returns its id. */
export const start = Effect.fn(function* (member: Member, body: object) {
  const { send } = yield* Service
  const { key } = member
  const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Live", ...body } })
  const run = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: made.body.id } })
  return String(run.body.session_id)
})

/** Claims a run like a worker. */
export const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 }))

/** Requests a connection to a run. */
export const connect = (member: Member, session: string) =>
  Effect.flatMap(Service, ({ send }) =>
    send({ method: "GET", path: `/live/sessions/${session}/connection`, key: member.key })
  )

/** Exchanges a token for a ticket. */
export const enter = (session: string, token: unknown) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "POST", path: `/live/${session}/view`, json: { token } }))

/** The stream of a view, read until it has enough reports and pictures. */
export const watch = (
  session: string,
  ticket: unknown,
  enough: (told: ReadonlyArray<Record<string, unknown>>, pictures: number) => boolean
) =>
  Effect.flatMap(Service, ({ url }) =>
    Effect.promise(async () => {
      const abort = new AbortController()
      const answer = await fetch(`${url}/live/${session}/view`, {
        headers: { authorization: `Bearer ${ticket}` },
        signal: abort.signal
      })
      const told: Array<Record<string, unknown>> = []
      const pictures: Array<Uint8Array> = []
      if (answer.status !== 200) return { status: answer.status, told, pictures }
      let rest = Buffer.alloc(0)
      for await (const piece of answer.body ?? []) {
        rest = Buffer.concat([rest, piece])
        while (rest.length >= 5 && rest.length - 5 >= rest.readUInt32BE(1)) {
          const length = rest.readUInt32BE(1)
          const content = rest.subarray(5, 5 + length)
          if (rest[0] === 1) told.push(JSON.parse(content.toString()))
          else pictures.push(new Uint8Array(content))
          rest = rest.subarray(5 + length)
        }
        if (enough(told, pictures.length)) break
      }
      abort.abort()
      return { status: answer.status, told, pictures }
    })
  )
