/** A set of runs that an index has newest first: a filter of runs is split into such sets. */
import type { SqlClient, Statement } from "effect/sql"
import type { RunFilter } from "../../../core/run/list/RunFilter.ts"
import type { Waiting } from "../../../core/run/Run.ts"
import type { Filter } from "../../../core/run/RunStore.ts"

/** Tables and their joins, and which of their rows. */
export interface Selection {
  readonly from: Statement.Fragment
  readonly where: Statement.Fragment
}

export interface Source extends Selection {
  /** The same with the rows of the runs, which a source of a label may do without. */
  readonly withRuns: Statement.Fragment
  /** Where few workflows are asked for, each of them has its runs in this order, and all of them together do not. */
  readonly each: ReadonlyArray<string> | null
  /** The table whose index has the order. */
  readonly by: "label" | "runs"
  /** The stored status, if `where` does not ask for it. */
  readonly status: typeof Waiting.Type | null
  /** What is in the order of a label and has to be looked up for each run. */
  readonly lookup: Lookup | null
}

/** Runs that are looked up one by one, in the order of a label. */
export interface Lookup {
  /** The entries of the label. */
  readonly labels: Selection
  /** What is joined to an entry, and which of it. */
  readonly runs: Selection
}

/** Ids as the text of an array. */
export const arrayOf = (ids: ReadonlyArray<string>): string => `{${ids.join(",")}}`

/** The conditions of a filter on the place of a run in the list, except for how old it may be. */
export const placed = (
  sql: SqlClient.SqlClient,
  { before, to }: RunFilter & Pick<Filter, "before">,
  by: Source["by"]
): ReadonlyArray<Statement.Fragment> => [
  ...(to === undefined ? [] : [sql`${sql(`${by}.created_at`)} <= ${new Date(to)}`]),
  ...(before === undefined ? [] : [behind(sql, before, by)])
]

/** Behind a place in the list, which is one instant, or one run among those of that instant. */
const behind = (sql: SqlClient.SqlClient, { at, id }: NonNullable<Filter["before"]>, by: Source["by"]) =>
  id === undefined
    ? sql`${sql(`${by}.created_at`)} < ${new Date(at)}`
    : sql`(${sql(`${by}.created_at`)}, ${sql(`${by}.sequence`)}) < (${new Date(at)}, coalesce(
        (select sequence from runs where id = ${id} and created_at = ${new Date(at)}), 0))`
