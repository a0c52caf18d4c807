/**
 * What `sluice workflow describe` does: opens a recording, gives its task to the model of the service, and follows it.
 */
import { Console, Effect, Option, Stdio, Stream } from "effect"
import type { Client } from "../../../api/Client.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { shown } from "../../user/Secrets.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly task: string
  readonly start: string
  readonly name: string
  readonly credential: Option.Option<string>
  readonly calls: number
  readonly tokens: number
  readonly seconds: number
  readonly save: boolean
}

const isTerminal = Effect.flatMap(Stdio.Stdio, ({ stdinIsTerminal }) => stdinIsTerminal)

/** Prints the messages of the service from the one with number `after`, until nothing is done any more. The last number. */
const followed = Effect.fnUntraced(function* (client: Client, id: string, after: number, isQuiet: boolean) {
  let last = after
  let hasBegun = false
  const events = client["workflow builder"].stream({
    params: { conversation_id: id },
    headers: after === 0 ? {} : { "last-event-id": String(after) }
  })
  yield* Stream.unwrap(events).pipe(
    Stream.tap((one) => {
      if (one.event === "status") {
        hasBegun = hasBegun || one.data.isProcessing || one.data.terminal
        return Effect.void
      }
      if (one.event !== "message") return Effect.void
      last = Math.max(last, one.data.number)
      return one.data.role === "user" || isQuiet ? Effect.void : Console.log(one.data.text)
    }),
    Stream.takeUntil((one) => one.event === "status" && hasBegun && !one.data.isProcessing),
    Stream.runDrain
  )
  return last
})

export const describe = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { calls, credential, json, name, save, seconds, start, task, tokens } = settings
      const builder = client["workflow builder"]
      const { conversationId } = yield* builder.openSession({
        payload: {
          name,
          startUrl: start,
          ...(Option.isSome(credential) ? { permissionedUserId: credential.value } : {})
        }
      })
      const params = { conversation_id: conversationId }
      const follow = (after: number) => followed(client, conversationId, after, json)
      const say = (text: string) => builder.say({ params, payload: { text } })
      let last = yield* follow(0)
      yield* say(`describe ${JSON.stringify({ task, calls, tokens, seconds })}`)
      last = yield* follow(last)
      let draft = yield* builder.draft({ params })
      while (draft.describing?.state === "waits") {
        // Without a person, what cannot be undone is not done.
        const said =
          (yield* isTerminal) && !json ? yield* shown("yes, or no and why") : "no there is no terminal to ask at"
        yield* say(/^y(es)?$/i.test(said.trim()) ? "yes" : said.startsWith("no") ? said : `no ${said}`)
        last = yield* follow(last)
        draft = yield* builder.draft({ params })
      }
      const isDone = draft.describing?.state === "done"
      const saved =
        isDone && save ? yield* builder.save({ params, payload: { versionNote: task.slice(0, 200) } }) : null
      if (isDone && save) yield* builder.endSession({ params })
      const told = {
        conversation_id: conversationId,
        workflow_id: saved?.id ?? null,
        describing: draft.describing,
        nodes: draft.nodes
      }
      const where =
        saved === null ? `The recording is open for half an hour: ${conversationId}` : `Saved as ${saved.id}`
      yield* answer(settings, told, () => where)
      if (!isDone) return yield* refused("unsuccessful", "The task was not done: the last answer says why")
    })
  )
