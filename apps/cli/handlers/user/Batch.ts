/**
 * What `sluice batch` does: reads a CSV file twice, first to check every cell and then to submit a run for each row. It
 * holds one batch of rows at a time, however long the file is.
 */
import { randomBytes } from "node:crypto"
import { createReadStream, statSync } from "node:fs"
import { Effect, Option, Result, Schedule, type Schema, Stream } from "effect"
import * as Json from "../../../../core/workspace/Json.ts"
import { present } from "../../../api/http/body/Fields.ts"
import type { Terms } from "../../commands/user/NewRunTerms.ts"
import * as CellTypes from "../../user/CellTypes.ts"
import { type ConnectionSettings, connected, client as connectionOf } from "../../user/Connection.ts"
import * as CsvRows from "../../user/CsvRows.ts"
import { classOf, refused } from "../../user/Ending.ts"
import { answer, type OutputSettings, progress } from "../../user/Output.ts"
import { cell, counted, number } from "../../user/view/Table.ts"
import { workflowId } from "../../user/WorkflowName.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly terms: Terms
  readonly file: string
  readonly workflow: string
  readonly dryRun: boolean
  readonly skipBad: boolean
  readonly fromRow: Option.Option<number>
  readonly resume: Option.Option<string>
}

/** The bounds of one request. */
const mostRows = 500
const mostCharacters = 4_000_000

/** Pauses between attempts to submit the same rows. */
const pauses = Schedule.exponential("250 millis").pipe(Schedule.upTo({ times: 4 }))

/** The classes of answers that do not change when the request is repeated. */
const lasting: ReadonlySet<string> = new Set(["wrong", "forbidden", "missing"])

/** How many problems are listed; all are counted. */
const mostShown = 20

async function* rowsOf(path: string): AsyncGenerator<CsvRows.Row> {
  const reader = CsvRows.reader()
  let head: ReadonlyArray<string> | null = null
  /** An error that makes the rest of the file unreadable, with its row and column. */
  const broken = ({ index, line }: CsvRows.Place, problem: string) =>
    new Error(CellTypes.sentence({ line, column: head?.[index] ?? `number ${index + 1}`, problem }))
  for await (const piece of createReadStream(path, { encoding: "utf8" })) {
    try {
      const rows = reader.push(String(piece))
      head ??= rows[0]?.cells ?? null
      yield* rows
    } catch (cause) {
      throw cause instanceof CsvRows.RowTooLong ? broken(cause, cause.message) : cause
    }
  }
  const open = reader.open()
  if (open !== null) throw broken(open, "its quote is never closed")
  yield* reader.end()
}

interface Batch {
  readonly first: number
  readonly last: number
  readonly runs: Array<{ readonly line: number; readonly input: Schema.JsonObject }>
}

/** Learns what is wrong with one row, or with the first one, which names the columns. */
type Note = (problems: ReadonlyArray<CellTypes.BadCell>) => void

/**
 * The good rows of a file, in batches; `bad` is called for every other one. Where the names of the columns are wrong, no row
 * is good: the others are only checked.
 */
async function* batchesOf(
  path: string,
  inputSchema: Schema.JsonObject,
  fromRow: number,
  bad: Note
): AsyncGenerator<Batch> {
  let columns: ReturnType<typeof CellTypes.columns> | null = null
  let runs: Batch["runs"] = []
  let characters = 0
  const batch = (): Batch => ({ first: runs[0]?.line ?? 0, last: runs.at(-1)?.line ?? 0, runs })
  for await (const { cells, line } of rowsOf(path)) {
    if (columns === null) {
      columns = CellTypes.columns(cells, inputSchema)
      if (columns.problems.length > 0) bad(columns.problems)
      continue
    }
    if (line < fromRow) continue
    const input = columns.input(line, cells)
    if (Result.isFailure(input)) {
      bad(input.failure)
      continue
    }
    if (columns.problems.length > 0) continue
    runs.push({ line, input: input.success })
    characters += cells.reduce((sum, { length }) => sum + length + 8, 64)
    if (runs.length < mostRows && characters < mostCharacters) continue
    yield batch()
    runs = []
    characters = 0
  }
  if (columns === null) throw new Error("expected a first row that names the inputs; the file is empty")
  if (runs.length > 0) yield batch()
}

const reasonOf = (error: unknown): string => {
  const { message } = Json.objectOf(error)
  return typeof message === "string" ? message : JSON.stringify(error)
}

export const batch = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client, target) {
      const { file } = settings
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
        return yield* refused("wrong", `Cannot read ${file}: the file does not exist`)
      }
      const workflow_id = yield* workflowId(client, settings.workflow)
      const { input_schema } = yield* client.workflows.metadata({ params: { workflow_id } })
      const terms = present(settings.terms)
      const fromRow = Option.getOrElse(settings.fromRow, () => 0)
      const bad: Array<CellTypes.BadCell> = []
      let badRows = 0
      let badCells = 0
      const note: Note = (all) => {
        badRows++
        badCells += all.length
        bad.push(...all.slice(0, mostShown - bad.length))
      }
      const batches = (note: Note) =>
        Stream.fromAsyncIterable(batchesOf(file, input_schema, fromRow, note), (cause) =>
          refused(
            "wrong",
            `Cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}\nNothing was submitted`
          )
        )
      let good = 0
      yield* Stream.runForEach(batches(note), ({ runs }) =>
        Effect.sync(() => {
          good += runs.length
        })
      )
      const problems = [
        ...bad.map(CellTypes.sentence),
        ...(badCells > bad.length ? [`and ${number(badCells - bad.length)} more`] : [])
      ]
      if (badRows > 0 && !(settings.skipBad && good > 0 && !settings.dryRun)) {
        return yield* refused(
          "wrong",
          [...problems, `Nothing was submitted: ${counted(badCells, "problem")} in ${file}`].join("\n")
        )
      }
      if (settings.dryRun) {
        return yield* answer(
          settings,
          { dry_run: true, rows: good },
          () => `${counted(good, "row")} can be submitted; nothing was submitted`
        )
      }
      const refusals: Array<{ readonly line: number; readonly problem: string }> = []
      const sessionIds: Array<string | null> = []
      let done = 0
      const key = Option.getOrElse(settings.resume, () => randomBytes(12).toString("hex"))
      yield* Stream.runForEach(
        batches(() => {}),
        Effect.fnUntraced(function* ({ first, last, runs }) {
          // Rows whose answer was lost are sent again under the same key, and count once.
          const writing = yield* connectionOf(target, { "idempotency-key": `batch-${key}-${first}` })
          const payload = {
            runs: runs.map(({ input }) => ({ workflow_id, run_input_variables: input, ...terms }))
          }
          const answered = yield* writing.runVerbs.batch({ payload }).pipe(
            Effect.retry({ schedule: pauses, while: (error) => !lasting.has(classOf(error)) }),
            Effect.mapError((error) =>
              lasting.has(classOf(error))
                ? refused(
                    classOf(error),
                    `Rows ${first} to ${last} were refused: ${reasonOf(error)}. ${number(done)} runs were submitted before them`
                  )
                : refused(
                    "unavailable",
                    `Rows ${first} to ${last} were not answered by ${target.url}: ${reasonOf(error)}. ${number(done)} runs were submitted before them. Continue with --from-row ${first} --resume ${key}, within a day: no row is submitted twice then`
                  )
            )
          )
          for (const [at, { error, session_id }] of answered.results.entries()) {
            if (settings.json) sessionIds.push(session_id)
            if (error !== null) refusals.push({ line: runs[at]?.line ?? 0, problem: reasonOf(error) })
          }
          done += answered.submitted
          yield* progress(settings, `${number(done)} of ${number(good)} runs submitted`)
        })
      )
      yield* answer(settings, { submitted: done, bad_rows: badRows, refused: refusals, session_ids: sessionIds }, () =>
        [
          `Submitted ${number(done)} of ${counted(good + badRows, "row")}`,
          ...problems,
          ...refusals.slice(0, mostShown).map(({ line, problem }) => `Row ${line} was refused: ${cell(problem, 300)}`)
        ].join("\n")
      )
      if (refusals.length > 0) return yield* refused("failed", `${counted(refusals.length, "row")} were refused`)
    })
  )
