/**
 * What the commands of `sluice window` do with the run windows of a service, and with one in a file.
 */
import { Clock, Effect, Option, Result } from "effect"
import * as RunWindow from "../../../../core/window/RunWindow.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import type { Client } from "../../../api/Client.ts"
import { type ConnectionSettings, client, connected, type Target } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { jsonFile } from "../../user/Input.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as WeekView from "../../user/view/WeekView.ts"
import * as WindowView from "../../user/view/WindowView.ts"
import { workflowId } from "../../user/WorkflowName.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly workflow: string
}

interface FileSettings extends Settings {
  readonly file: string
}

/** The window of a file. A file that holds a list of problems is refused with all of them. */
const windowOf = Effect.fnUntraced(function* (path: string) {
  const value = yield* jsonFile(path)
  // What `window show --json` prints has the window as one of its members.
  const sent = Json.isObject(value) && Json.isObject(value.run_window) ? value.run_window : value
  const checked = RunWindow.validate(sent, { now: yield* Clock.currentTimeMillis })
  if (Result.isSuccess(checked)) return checked.success
  const problems = checked.failure.issues.map(({ message, path }) => `  ${path === "" ? "" : `${path}: `}${message}`)
  return yield* refused("failed", [`${path} does not contain a valid run window:`, ...problems].join("\n"))
})

const zoneOf = (window: RunWindow.RunWindow | null): string => window?.time_zone ?? "UTC"

/** Checks the window of a file, here and without a service. */
export const validateFile = Effect.fnUntraced(function* (path: string, settings: OutputSettings) {
  const { warnings } = yield* windowOf(path)
  yield* answer(settings, { valid: true, errors: [], warnings }, () =>
    ["The run window is valid", ...warnings.map(({ message, path }) => `Warning: ${path}: ${message}`)].join("\n")
  )
})

export const show = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const stored = yield* client.runWindows.getRunWindow({ params })
      const now = yield* Clock.currentTimeMillis
      const week = stored.run_window === null ? "" : WeekView.draw(RunWindow.stored(stored.run_window), now)
      yield* answer(settings, stored, () => WindowView.stored(stored, week))
    })
  )

export const preview = (settings: FileSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const { window } = yield* windowOf(settings.file)
      const shown = yield* client.runWindows.previewRunWindow({ params, query: { openings: 5 }, payload: window })
      yield* answer(settings, shown, () => WindowView.preview(shown, zoneOf(window)))
    })
  )

interface SetSettings extends FileSettings {
  readonly revision: Option.Option<number>
}

/** Shows what a window does, and sets it, unless another one was set since the revision `base`. */
const setting = Effect.fnUntraced(function* (
  { reading, settings, target }: { readonly reading: Client; readonly target: Target; readonly settings: Settings },
  params: { readonly workflow_id: string },
  window: RunWindow.RunWindow,
  base: number
) {
  const impact = yield* reading.runWindows.previewRunWindow({ params, query: { openings: 5 }, payload: window })
  if (!settings.json) yield* answer(settings, impact, () => WindowView.preview(impact, zoneOf(window)))
  const writing = yield* client(target, { "if-match": `"${base}"` })
  const stored = yield* writing.runWindows.setRunWindow({ params, payload: window })
  yield* answer(settings, { impact, ...stored }, () => WindowView.set(stored, zoneOf(window)))
})

export const set = (settings: SetSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (reading, target) {
      const params = { workflow_id: yield* workflowId(reading, settings.workflow) }
      const { window } = yield* windowOf(settings.file)
      const before = yield* reading.runWindows.getRunWindow({ params })
      const base = Option.getOrElse(settings.revision, () => before.run_window_revision)
      yield* setting({ reading, target, settings }, params, window, base)
    })
  )

interface HistorySettings extends Settings {
  readonly limit: number
}

export const history = (settings: HistorySettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const page = yield* client.runWindows.listRunWindows({ params, query: { limit: settings.limit } })
      yield* answer(settings, page, () => WindowView.history(page.run_windows))
    })
  )

interface RestoreSettings extends Settings {
  readonly revision: number
}

/** Sets a former window again, as a new revision. A revision that removed the window removes the present one. */
export const restore = (settings: RestoreSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (reading, target) {
      const { revision } = settings
      const params = { workflow_id: yield* workflowId(reading, settings.workflow) }
      const before = yield* reading.runWindows.getRunWindow({ params })
      const query = { limit: 1, cursor: revision + 1 }
      const [former] = (yield* reading.runWindows.listRunWindows({ params, query })).run_windows
      if (former?.run_window_revision !== revision) {
        return yield* refused(
          "missing",
          `The workflow had no run window of revision ${revision}: sluice window history`
        )
      }
      if (former.run_window !== null) {
        return yield* setting({ reading, target, settings }, params, former.run_window, before.run_window_revision)
      }
      const writing = yield* client(target, { "if-match": `"${before.run_window_revision}"` })
      const stored = yield* writing.runWindows.removeRunWindow({ params })
      yield* answer(settings, stored, () => `Removed the run window, as revision ${stored.run_window_revision}`)
    })
  )
