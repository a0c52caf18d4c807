/** The questions of runs in PostgreSQL. */
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Interaction, Question } from "../../../core/run/interaction/Interaction.ts"
import { InteractionStore } from "../../../core/run/interaction/InteractionStore.ts"
import { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly run_id: string
  readonly id: string
  readonly workspace_id: string
  readonly workflow_id: string
  readonly fence: bigint
  readonly question: string
  readonly asked_at: Date
  readonly expires_at: Date
  readonly answered_at: Date | null
  readonly closed_at: Date | null
  readonly answer: string | null
}

export const layer = Layer.effect(
  InteractionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return InteractionStore.of({
      put: Effect.fn("InteractionStore.put")((interaction) => {
        const { run_id, ...rest } = fromInteraction(interaction)
        return sql`
          insert into interactions ${sql.insert({ run_id, ...rest })}
          on conflict (run_id) do update set ${sql.update(rest)}
            where interactions.fence <= excluded.fence`.pipe(Effect.asVoid, withoutSqlErrors)
      }),
      get: Effect.fn("InteractionStore.get")((workspaceId, runId) =>
        sql<Row>`select * from interactions where run_id = ${runId} and workspace_id = ${workspaceId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toInteraction)),
          withoutSqlErrors
        )
      ),
      change: Effect.fn("InteractionStore.change")((runId, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Row>`select * from interactions where run_id = ${runId} for update`
            if (row === undefined) return Option.none()
            const before = toInteraction(row)
            const after = yield* Effect.fromResult(decide(before, yield* Clock.currentTimeMillis))
            if (after !== before) {
              const { answer, answered_at, closed_at } = fromInteraction(after)
              yield* sql`
                update interactions set ${sql.update({ answer, answered_at, closed_at })} where run_id = ${runId}`
            }
            return Option.some({ before, after })
          })
        )
      ),
      forget: Effect.fn("InteractionStore.forget")((before) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const forgotten = yield* sql`
            update interactions set answer = null, closed_at = ${now}
            where answer is not null and expires_at < ${new Date(before)} returning run_id`
          return forgotten.length
        }).pipe(withoutSqlErrors)
      )
    })
  })
)

const question = Schema.fromJsonString(Question)
const decodeQuestion = Schema.decodeSync(question)
const encodeQuestion = Schema.encodeSync(question)

const toInteraction = (row: Row): Interaction => ({
  ...decodeQuestion(row.question),
  id: row.id,
  workspaceId: WorkspaceId.make(row.workspace_id),
  workflowId: WorkflowId.make(row.workflow_id),
  runId: RunId.make(row.run_id),
  fence: Number(row.fence),
  askedAt: row.asked_at.getTime(),
  expiresAt: row.expires_at.getTime(),
  answeredAt: row.answered_at?.getTime() ?? null,
  closedAt: row.closed_at?.getTime() ?? null,
  answer: row.answer
})

const fromInteraction = (interaction: Interaction) => {
  const { message, node, schema, subject } = interaction
  return {
    run_id: interaction.runId,
    id: interaction.id,
    workspace_id: interaction.workspaceId,
    workflow_id: interaction.workflowId,
    fence: BigInt(interaction.fence),
    question: encodeQuestion({ message, node, schema, subject }),
    asked_at: new Date(interaction.askedAt),
    expires_at: new Date(interaction.expiresAt),
    answered_at: interaction.answeredAt === null ? null : new Date(interaction.answeredAt),
    closed_at: interaction.closedAt === null ? null : new Date(interaction.closedAt),
    answer: interaction.answer
  }
}
