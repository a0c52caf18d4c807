/** Failures counted in memory. */
import { Effect, Layer } from "effect"
import { codeOf, ErrorReports, type Group, order } from "../../../core/run/evidence/ErrorReports.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  ErrorReports,
  Effect.map(Tables, ({ runs, uncounted }) =>
    ErrorReports.of({
      report: (workspaceId, { codes, from, limit, to, workflowIds }) =>
        Effect.sync(() => {
          const framed = [...runs.values()]
            .filter((run) => run.workspaceId === workspaceId && (workflowIds?.includes(run.workflowId) ?? true))
            .flatMap(({ errors, id }) => (uncounted.has(id) ? [] : errors).map((error) => ({ runId: id, error })))
            .filter(({ error: { at } }) => from <= at && at <= to)
            .filter(({ error }) => codes?.includes(codeOf(error)) ?? true)
            .sort((a, b) => b.error.at - a.error.at || (a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0))
          const groups = new Map<string, Shown>()
          for (const [index, { error, runId }] of framed.entries()) {
            const code = codeOf(error)
            const { count, errors }: Shown = groups.get(code) ?? { code, count: 0, errors: [] }
            if (index < limit) errors.push({ runId, error })
            groups.set(code, { code, count: count + 1, errors })
          }
          return [...groups.values()].sort(order)
        })
    })
  ).pipe(Effect.map(atomicStore))
)

interface Shown extends Group {
  readonly errors: Array<Group["errors"][number]>
}
