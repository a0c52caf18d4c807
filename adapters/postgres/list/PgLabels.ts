/**
 * What has many values for one run (tags, credentials, the codes, categories and sub-types of its failures), its reference, and that it has warnings, are in
 * `run_labels`, newest first for each label. Its index also has what never changes of a run. What changes is read from another index by the run's place in that one, so
 * that no row of a run is read.
 */
import { createHash } from "node:crypto"
import type { SqlClient, Statement } from "effect/sql"
import type { RunFilter } from "../../../core/run/list/RunFilter.ts"
import type { StoredStatus, Waiting } from "../../../core/run/Run.ts"
import type { Filter } from "../../../core/run/RunStore.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { arrayOf, placed, type Source } from "./PgRunSource.ts"

type Kind = "category" | "credential" | "error" | "reference" | "sub-type" | "tag" | "warning"

export interface Label {
  readonly kind: Kind
  readonly key: string
}

/** The key of a label in `run_labels`, as the function `run_label` of the schema makes it. */
export const labelOf = (kind: Kind, value: string): string =>
  createHash("sha256").update(`${kind}:${value}`).digest("hex").slice(0, 32)

/** The value of the label of a credential or an error code: they may have characters that the database does not keep. */
export const asValue = (text: string): string => JSON.stringify(text)

/** The value of the label of each run that has warnings. */
const anyWarning = "any"

/** The keys of the labels in a filter, by kind. A run satisfies it with one label of each kind. */
const labelsOf = ({
  credentials,
  errorCategories,
  errorCodes,
  errorSubTypes,
  hasWarnings,
  references,
  tags
}: RunFilter) =>
  (
    [
      ["reference", references],
      ["warning", hasWarnings === true ? [anyWarning] : undefined],
      ["error", errorCodes?.map(asValue)],
      ["sub-type", errorSubTypes],
      ["category", errorCategories],
      ["tag", tags],
      ["credential", credentials?.map(asValue)]
    ] as const
  ).flatMap(
    ([kind, values]): ReadonlyArray<readonly [Kind, ReadonlyArray<string>]> =>
      values === undefined ? [] : [[kind, values.map((value) => labelOf(kind, value))]]
  )

/** A label whose index gives the order of the runs: the only label of its kind in the filter. */
export const driving = (filter: RunFilter): Label | null => {
  for (const [kind, [key, ...others]] of labelsOf(filter)) {
    if (key !== undefined && others.length === 0) return { kind, key }
  }
  return null
}

/** That the runs of a table have the labels of a filter, except for the one in whose order they are read. */
export const having = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter,
  label: Label | null
): ReadonlyArray<Statement.Fragment> => {
  const by = sql(label === null ? "runs" : "label")
  const labelled = (keys: ReadonlyArray<string>) => sql`exists (select from run_labels other
    where other.workspace_id = ${workspaceId} and ${sql.in("other.label", keys)}
      and other.created_at = ${by}.created_at and other.sequence = ${by}.sequence)`
  const without = filter.hasWarnings === false ? [sql`not ${labelled([labelOf("warning", anyWarning)])}`] : []
  const withOthers = labelsOf(filter).flatMap(([kind, keys]) => (kind === label?.kind ? [] : [labelled(keys)]))
  return [...without, ...withOthers]
}

/** The runs of a label within a filter, further narrowed by conditions on `label`, as sources of their stored status. */
export const sourcesOf = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  filter: RunFilter & Pick<Filter, "before">,
  label: Label
) => {
  const others = having(sql, workspaceId, filter, label)
  const place = [
    sql`label.workspace_id = ${workspaceId} and label.label = ${label.key}::uuid`,
    ...placed(sql, filter, "label"),
    ...(filter.workflowIds === undefined ? [] : [sql`label.workflow_id = any(${arrayOf(filter.workflowIds)}::uuid[])`]),
    ...(filter.triggers === undefined ? [] : [sql.in("label.trigger", filter.triggers)])
  ]
  const lookedUp = (
    found: Statement.Fragment,
    within: ReadonlyArray<Statement.Fragment>,
    further: { readonly join: Statement.Fragment; readonly where: ReadonlyArray<Statement.Fragment> }
  ): Source => {
    const from = sql`run_labels label join runs on ${found} ${further.join}`
    return {
      from,
      withRuns: from,
      where: sql.and([...place, ...within, ...others, ...further.where]),
      each: null,
      by: "label",
      status: null,
      lookup: {
        labels: { from: sql`run_labels label`, where: sql.and([...place, ...within]) },
        runs: {
          from: sql`cross join lateral (select * from runs where ${found} offset 0) runs ${further.join}`,
          where: sql.and([sql`true`, ...others, ...further.where])
        }
      }
    }
  }
  return {
    /** Whatever their status is. */
    all: (within: ReadonlyArray<Statement.Fragment>): Source => ({
      from: sql`run_labels label`,
      withRuns: sql`run_labels label
        cross join lateral (select * from runs where runs.id = label.run_id offset 0) runs`,
      where: sql.and([...place, ...within, ...others]),
      each: null,
      by: "label",
      status: null,
      lookup: null
    }),
    ofStatus: (status: StoredStatus, within: ReadonlyArray<Statement.Fragment>): Source =>
      lookedUp(
        sql`runs.workspace_id = ${workspaceId} and runs.status = ${status}
          and runs.created_at = label.created_at and runs.sequence = label.sequence`,
        within,
        { join: sql``, where: [] }
      ),
    /** Those of the statuses of waiting runs, which satisfy a condition on `runs` and their `gates`. */
    waiting: (
      statuses: ReadonlyArray<typeof Waiting.Type>,
      within: ReadonlyArray<Statement.Fragment>,
      condition: Statement.Fragment | null
    ): Source =>
      lookedUp(
        // The index of waiting runs has the columns of most conditions.
        sql`runs.workflow_id = label.workflow_id and runs.sequence = label.sequence
          and ${sql.in("runs.status", statuses)}`,
        within,
        condition === null
          ? { join: sql``, where: [] }
          : { join: sql`join gates on gates.workflow_id = label.workflow_id`, where: [condition] }
      )
  }
}
