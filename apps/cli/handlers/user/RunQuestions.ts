/**
 * What the commands of `sluice runs` do about the question of a run to a person.
 */
import { Effect, Option } from "effect"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as QuestionView from "../../user/view/QuestionView.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly id: string
}

export const question = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const open = yield* client.interactions.openQuestion({ params: { session_id: settings.id } })
      yield* answer(settings, open, () => QuestionView.text(open))
    })
  )

interface DecisionSettings extends Settings {
  readonly digest: string
  readonly reason: Option.Option<string>
}

const deciding = (decision: "approve" | "refuse", done: string) => (settings: DecisionSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { digest, id, reason } = settings
      const payload = { digest, decision, ...(Option.isSome(reason) ? { reason: reason.value } : {}) }
      const answered = yield* client.interactions.decide({ params: { session_id: id }, payload })
      yield* answer(settings, answered, () => `${done} of run ${id}`)
    })
  )

export const approve = deciding("approve", "Approved the act")
export const refuse = deciding("refuse", "Refused the act")
