/** The failed run that a conversation mends, and after the save the runs that failed by the same step. */
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import { AskedVerb } from "../data/AskedVerb.tsx"
import { verbs } from "../data/Verbs.ts"
import { shortId } from "../data/Workflows.ts"
import { Clipped } from "../kit/Clipped.tsx"
import { to } from "../kit/Route.ts"
import { act, client } from "../kit/Service.ts"
import type { Draft } from "./Conversation.ts"

type Repaired = NonNullable<Draft["repair"]>

/** The run that is mended, and where it failed. */
export const RepairNote = ({
  isShown,
  onSelect,
  repair
}: {
  readonly repair: Repaired
  /** Whether the step that failed is selected. */
  readonly isShown: boolean
  readonly onSelect: (id: string) => void
}) => (
  <section class="failures" aria-label="The failure to mend">
    <div>
      <p>
        This mends <a href={to(["runs", repair.sessionId])}>run {shortId(repair.sessionId)}</a>, which failed by{" "}
        {repair.errorCode ?? "an error"}.
      </p>
      {repair.nodeId === null ? (
        <p>
          <Clipped text={repair.message} />
        </p>
      ) : (
        !isShown && (
          <button type="button" onClick={() => onSelect(repair.nodeId ?? "")}>
            Show the step that failed
          </button>
        )
      )}
    </div>
  </section>
)

/** How far back runs that failed are looked for, in milliseconds. */
const lookBackMillis = 7 * 86_400_000

/** The most runs that are retried together. */
const most = 1_000

/** The failed runs of a workflow by the same step: their errors begin with its name. */
const failedAlike = ({ message, sessionId }: Repaired, workflowId: string) => {
  const [step = message] = /^Node "[^"]*":/.exec(message) ?? []
  const query = {
    workflow_id: workflowId,
    status: "execution.failed",
    start_time: new Date(Date.now() - lookBackMillis).toISOString(),
    limit: String(most)
  }
  return Effect.map(client().runs.listRuns({ query }), (runs) => [
    ...new Set([
      sessionId,
      ...runs.filter(({ error }) => error?.message.startsWith(step) === true).map(({ session_id }) => session_id)
    ])
  ])
}

/** Offers to retry the runs that failed by the step with the version that was saved. */
export const RetryAlike = ({
  onClose,
  repair,
  workflowId
}: {
  readonly repair: Repaired
  readonly workflowId: string
  readonly onClose: () => void
}) => {
  const [ids, setIds] = useState<ReadonlyArray<string> | null>(null)
  useEffect(() => {
    void act(failedAlike(repair, workflowId)).then((found) => setIds(found ?? [repair.sessionId]))
  }, [])
  if (ids === null) return null
  return (
    <AskedVerb
      verb={verbs.retry}
      selection={{ session_ids: ids.slice(0, most) }}
      terms={{ version: "latest", reason: "" }}
      onClose={onClose}
    />
  )
}
