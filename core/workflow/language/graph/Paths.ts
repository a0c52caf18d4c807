/**
 * Problems of a schema as the interface reports them, each at its path, such as `nodes[3].parameters.selector`.
 */
import { type Schema, SchemaIssue } from "effect"
import { within } from "../../../window/Problems.ts"
import type { Problem } from "../../Workflow.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Every problem in a schema error. `prefix` is the path of the value that was read. */
export const problemsOf = (error: Schema.SchemaError, prefix = ""): ReadonlyArray<Problem> =>
  problemsIn(error.issue, prefix)

/** Every problem in an issue of a schema. */
export const problemsIn = (found: SchemaIssue.Issue, prefix = ""): ReadonlyArray<Problem> =>
  format(found).issues.map((issue) => ({
    path: (issue.path ?? []).reduce(
      (path: string, segment) => within(path, typeof segment === "object" ? segment.key : segment),
      prefix
    ),
    message: issue.message
  }))

/** The same problems below a deeper path of a document. */
export const under = (prefix: string, problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.map(({ message, path }) => ({ path: path === "" ? prefix : `${prefix}.${path}`, message }))
