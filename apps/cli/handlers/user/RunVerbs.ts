/**
 * What the commands of `sluice runs` do that change many runs: page by page, with an outcome for each run.
 */
import { Effect, Option } from "effect"
import type { FilterSettings } from "../../commands/user/Selection.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { type Refused, refused } from "../../user/Ending.ts"
import { jsonObjectOf } from "../../user/Input.ts"
import { answer, type OutputSettings, progress } from "../../user/Output.ts"
import { type Filter, queryOf } from "../../user/Selection.ts"
import * as VerbsView from "../../user/view/VerbsView.ts"

interface VerbSettings extends ConnectionSettings, OutputSettings {
  readonly filter: FilterSettings
  readonly ids: ReadonlyArray<string>
  readonly limit: Option.Option<number>
  readonly dryRun: boolean
}

/** The most runs that one request is for. */
const page = 10_000

/** The runs of one request, in the form of the interface. */
interface Selected {
  readonly session_ids?: ReadonlyArray<string>
  readonly filter?: Filter
  readonly limit?: number
  readonly cursor?: string
  readonly dry_run: boolean
}

const selections = (settings: VerbSettings): Effect.Effect<Selected, Refused> =>
  Effect.gen(function* () {
    const { dryRun: dry_run, ids, limit } = settings
    const filter = queryOf(settings.filter)
    const isFiltered = Object.keys(filter).length > 0
    if (ids.length > 0 === isFiltered) {
      return yield* refused("wrong", "Expected ids of runs, or a filter such as --hold run_window, not both")
    }
    if (isFiltered)
      return {
        filter,
        dry_run,
        limit: Math.min(
          page,
          Option.getOrElse(limit, () => page)
        )
      }
    if (Option.isSome(limit))
      return yield* refused("wrong", "--limit is only for a filter, but the runs are given by their ids")
    if (ids.length > page) return yield* refused("wrong", `Expected at most ${page} ids, got ${ids.length}`)
    return { session_ids: ids, dry_run }
  })

/**
 * Asks page by page, until no run of the filter is left or as many were taken as asked for. If it breaks off, what was done
 * before that is printed.
 */
const all = Effect.fnUntraced(function* <E, R>(
  verb: VerbsView.Verb,
  settings: VerbSettings,
  ask: (selected: Selected) => Effect.Effect<VerbsView.Answer, E, R>
) {
  const selected = yield* selections(settings)
  const wanted = Option.getOrElse(settings.limit, () => Number.POSITIVE_INFINITY)
  let merged: VerbsView.Answer = yield* ask(selected)
  while (merged.next_cursor !== null && merged.results.length < wanted) {
    yield* progress(settings, `${merged.results.length} runs so far`)
    const limit = Math.min(page, wanted - merged.results.length)
    const before = merged
    const next = ask({ ...selected, limit, cursor: before.next_cursor ?? "" })
    merged = VerbsView.merged(
      before,
      yield* Effect.tapError(next, () => answer(settings, before, () => VerbsView.text(verb, before)))
    )
  }
  return merged
})

const asking =
  <S extends VerbSettings>(
    verb: VerbsView.Verb,
    ask: (
      client: Parameters<Parameters<typeof connected>[1]>[0],
      settings: S,
      selected: Selected
    ) => Effect.Effect<VerbsView.Answer, unknown>
  ) =>
  (settings: S) =>
    connected(
      settings,
      Effect.fnUntraced(function* (client) {
        const done = yield* all(verb, settings, (selected) => ask(client, settings, selected))
        yield* answer(settings, done, () => VerbsView.text(verb, done))
        if (done.results.length > 0 && done.results.every(({ outcome }) => outcome === "not_found")) {
          return yield* refused("missing", "None of these runs exists in the workspace of the key")
        }
      })
    )

export const release = asking<VerbSettings & { readonly pastPause: boolean }>("release", (client, settings, selected) =>
  client.runVerbs.release({ payload: { ...selected, past_pause: settings.pastPause } })
)

interface WithReason extends VerbSettings {
  readonly reason: Option.Option<string>
}

const reasonOf = ({ reason }: WithReason) => (Option.isSome(reason) ? { reason: reason.value } : {})

export const interrupt = asking<WithReason>("interrupt", (client, settings, selected) =>
  client.runVerbs.interruptAll({ payload: { ...selected, ...reasonOf(settings) } })
)

interface RetrySettings extends WithReason {
  readonly at: "same" | "latest"
  readonly input: Option.Option<string>
  readonly force: boolean
}

export const retry = asking<RetrySettings>(
  "retry",
  Effect.fnUntraced(function* (client, settings, selected) {
    const input = Option.isNone(settings.input) ? null : yield* jsonObjectOf("--input", settings.input.value)
    return yield* client.runVerbs.retry({
      payload: {
        ...selected,
        ...reasonOf(settings),
        version: settings.at,
        force: settings.force,
        ...(input === null ? {} : { run_input_variables: input })
      }
    })
  })
)

interface TagSettings extends VerbSettings {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

const tagAll = asking<TagSettings>("tag", (client, { add, remove }, selected) =>
  client.runVerbs.tag({ payload: { ...selected, add, remove } })
)

export const tag = (settings: TagSettings) =>
  settings.add.length + settings.remove.length === 0
    ? Effect.fail(refused("wrong", "Expected at least one tag in --add or --remove"))
    : tagAll(settings)
