/**
 * What the commands of `sluice workflow` do: workflows as files, which are pulled, compared and pushed.
 */
import { existsSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { Clock, Effect, Option } from "effect"
import { mostRunning, mostStartsPerMinute } from "../../../../core/gate/Pace.ts"
import * as GraphCheck from "../../../../core/workflow/language/graph/GraphCheck.ts"
import * as PlaywrightProgram from "../../../../core/workflow/playwright/PlaywrightProgram.ts"
import * as SaveBody from "../../../../core/workflow/SaveBody.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import type { WorkflowToSave } from "../../../api/Client.ts"
import * as CodeFile from "../../user/CodeFile.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { fileText, jsonFile } from "../../user/Input.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as ConvertView from "../../user/view/ConvertView.ts"
import * as ExplainView from "../../user/view/ExplainView.ts"
import { cell, instant, table } from "../../user/view/Table.ts"
import * as WindowView from "../../user/view/WindowView.ts"
import * as WorkflowFile from "../../user/WorkflowFile.ts"
import { workflowId } from "../../user/WorkflowName.ts"
import * as WorkflowSchedules from "../../user/WorkflowSchedules.ts"

type Settings = ConnectionSettings & OutputSettings

const write = (path: string, text: string) =>
  Effect.try({
    try: () => writeFileSync(path, text),
    catch: (cause) =>
      refused("failed", `Cannot write the file ${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

/** A workflow in a file of either form, and the schedules that code has beside it. */
export const fileOf = Effect.fnUntraced(function* (path: string) {
  if (CodeFile.isCode(path)) return yield* CodeFile.read(path)
  return { fields: yield* fieldsOf(path), schedules: [] }
})

const fieldsOf = Effect.fnUntraced(function* (path: string) {
  const value = yield* jsonFile(path)
  if (!Json.isObject(value))
    return yield* refused("wrong", `${path}: expected a JSON object, as workflow pull writes it`)
  return value
})

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.workflows.list({ query: {} })
      const rows = all.map(({ folder_path, id, name, updated_at }) => [
        id,
        cell(name, 60),
        folder_path ?? "",
        instant(updated_at)
      ])
      yield* answer(settings, all, () =>
        rows.length === 0 ? "No workflows" : table(["WORKFLOW", "NAME", "FOLDER", "CHANGED"], rows)
      )
    })
  )

/** What a file is compared by, in the form that it has. */
const contentOf = (path: string, fields: CodeFile.Fields, code: CodeFile.Fields): string =>
  CodeFile.isCode(path) ? CodeFile.content(fields, code.run_window !== undefined) : WorkflowFile.content(fields)

interface PullSettings extends Settings {
  readonly as: Option.Option<"json" | "ts">
  readonly workflow: string
  readonly file: Option.Option<string>
  readonly force: boolean
}

/** Writes a workflow to a file, or to standard output. A file that was changed since the last pull is kept, unless `--force` is given. */
export const pull = (settings: PullSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const view = yield* client.workflows.get({ params })
      const isCode = Option.match(settings.as, {
        onNone: () => Option.isSome(settings.file) && CodeFile.isCode(settings.file.value),
        onSome: (form) => form === "ts"
      })
      const text = isCode ? CodeFile.pulled(view) : WorkflowFile.pulled(view)
      if (Option.isNone(settings.file)) {
        return yield* answer({ json: settings.json && isCode }, { text }, () => text.trimEnd())
      }
      const path = settings.file.value
      if (isCode !== CodeFile.isCode(path)) {
        return yield* refused(
          "wrong",
          `--as: expected a form that fits the file ${path}: json, or ts for names that end in .ts`
        )
      }
      if (existsSync(path) && !settings.force) {
        const { fields } = yield* fileOf(path)
        if (contentOf(path, fields, fields) !== contentOf(path, view, fields)) {
          return yield* refused(
            "conflict",
            `${path} differs from the workflow: push it first, or replace it with --force. sluice workflow diff ${path} shows the difference`
          )
        }
      }
      yield* write(path, text)
      yield* answer(
        settings,
        { file: path, workflow_id: view.id, version_id: view.version_id, version_number: view.version_number },
        () => `Wrote version ${view.version_number} of "${cell(view.name)}" to ${path}`
      )
    })
  )

interface FileSettings extends Settings {
  readonly file: string
}

export const diff = (settings: FileSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { fields } = yield* fileOf(settings.file)
      const view = yield* client.workflows.get({ params: { workflow_id: String(fields.id ?? "") } })
      const text = WorkflowFile.difference(
        contentOf(settings.file, view, fields),
        contentOf(settings.file, fields, fields)
      )
      yield* answer(settings, { equal: text === "", diff: text }, () =>
        text === "" ? `${settings.file} is version ${view.version_number} of the workflow` : text
      )
      if (text !== "") {
        return yield* refused("failed", `${settings.file} differs from version ${view.version_number} of the workflow`)
      }
    })
  )

const problemsOf = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>>) {
  const { problems, tooLong } = SaveBody.read(fields, yield* Clock.currentTimeMillis)
  return [...problems, ...tooLong.map(({ field, message }) => ({ path: field, message }))]
})

/** Checks the workflow of a file, here and without a service: what its workspace decides is checked by a push. */
export const validate = Effect.fnUntraced(function* (settings: { readonly file: string; readonly json: boolean }) {
  const problems = yield* problemsOf((yield* fileOf(settings.file)).fields)
  yield* answer(settings, { valid: problems.length === 0, problems }, () =>
    problems.length === 0
      ? "The workflow is valid"
      : problems.map(({ message, path }) => `${path === "" ? "" : `${path}: `}${message}`).join("\n")
  )
  if (problems.length > 0) return yield* refused("failed", `${settings.file} does not contain a valid workflow`)
})

interface PushSettings extends FileSettings {
  readonly note: Option.Option<string>
  readonly canary: Option.Option<string>
}

/** The terms of a canary as the flag gives them. The service checks their bounds. */
const canaryOf = (text: string) => {
  const [share, runs, max_failures, ...more] = text.split(",").map(Number)
  return share === undefined ||
    runs === undefined ||
    max_failures === undefined ||
    more.length > 0 ||
    text.split(",").some((one) => one.trim() === "" || Number.isNaN(Number(one)))
    ? refused(
        "wrong",
        `--canary: expected a share, a number of runs and a number of failures, as in 0.1,50,5, got "${text.slice(0, 80)}"`
      )
    : Effect.succeed({ share, runs, max_failures })
}

/**
 * Saves a file as the next version, and notes in the file which version that is. Refused when another version was saved
 * since the file was pulled. A file without an id becomes a new workflow.
 */
export const push = (settings: PushSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { fields, schedules } = yield* fileOf(settings.file)
      const { base_version_id, id } = fields
      if (id !== undefined && typeof base_version_id !== "string") {
        return yield* refused(
          "wrong",
          `${settings.file} has no base_version_id, so changes by other users cannot be detected: pull the workflow first`
        )
      }
      // The type of what is sent is that of a valid file: the service checks it, and reports every problem at its path.
      const payload = {
        ...fields,
        ...(Option.isSome(settings.note) ? { version_note: settings.note.value } : {}),
        ...(Option.isSome(settings.canary) ? { canary: yield* canaryOf(settings.canary.value) } : {})
      } as unknown as WorkflowToSave
      if (id !== undefined && Option.isNone(settings.note) && Option.isNone(settings.canary)) {
        // The order of members in a file is that of the file: it alone makes no version.
        const present = yield* client.workflows.get({ params: { workflow_id: String(id) } })
        const stored = contentOf(settings.file, present, fields)
        if (present.version_id === base_version_id && stored === contentOf(settings.file, fields, fields)) {
          const { version_id, version_number } = present
          yield* WorkflowSchedules.save(client, present.id, schedules)
          return yield* answer(
            settings,
            { workflow_id: id, version_id, version_number, warnings: [], unchanged: true },
            () => `${settings.file} is version ${version_number} of the workflow; nothing was saved`
          )
        }
      }
      const view = yield* id === undefined
        ? client.workflows.create({ payload })
        : client.workflows.save({ params: { workflow_id: String(id) }, payload })
      const text = CodeFile.isCode(settings.file)
        ? CodeFile.noting(yield* fileText(settings.file), view.id, view.version_id)
        : WorkflowFile.pulled(view)
      if (text !== null) yield* write(settings.file, text)
      yield* WorkflowSchedules.save(client, view.id, schedules)
      const warnings = view.warnings ?? []
      yield* answer(
        settings,
        {
          workflow_id: view.id,
          version_id: view.version_id,
          version_number: view.version_number,
          warnings,
          unchanged: false
        },
        () =>
          [
            `Saved version ${view.version_number} of "${cell(view.name)}" (${view.id})`,
            ...(text === null
              ? [`Write this into ${settings.file}: id: "${view.id}", base_version_id: "${view.version_id}"`]
              : []),
            ...warnings.map(({ message, path }) => `Warning: ${path}: ${cell(message)}`)
          ].join("\n")
      )
    })
  )

interface ImportSettings extends FileSettings {
  readonly to: Option.Option<string>
  readonly save: boolean
}

/** Shows what becomes of a file of another program. The workflow is kept only where `--to` or `--save` asks for it. */
export const importFile = (settings: ImportSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { file, save } = settings
      const to = Option.getOrNull(settings.to)
      if (to !== null && existsSync(to)) {
        return yield* refused("wrong", `The file ${to} exists: name another one for --to, or remove it`)
      }
      const content = yield* fileText(file)
      const found = yield* client.workflows.convert({ payload: { file_name: basename(file), content } })
      if (to !== null) yield* write(to, WorkflowFile.text(found.workflow))
      const created = save ? yield* client.workflows.create({ payload: found.workflow }) : null
      yield* answer(settings, { ...found, workflow_id: created?.id ?? null }, () =>
        [
          ConvertView.text(found),
          ...(to === null ? [] : [`Wrote ${to}: sluice workflow push ${to} creates the workflow`]),
          ...(created === null ? [] : [`Created "${cell(created.name)}" (${created.id})`]),
          ...(to === null && !save ? ["Nothing was saved: --to FILE writes the workflow, --save creates it"] : [])
        ].join("\n")
      )
    })
  )

interface ExplainSettings extends Settings {
  readonly workflow: string
}

/** The steps of a workflow in words, from a file or from the service. */
const explained = Effect.fnUntraced(function* (
  settings: Settings,
  fields: Readonly<Record<string, unknown>>,
  window: string
) {
  const { graph, problems } = GraphCheck.examine(fields.nodes ?? null, fields.edges ?? null)
  if (graph === null) {
    const lines = problems.map(({ message, path }) => `  ${path === "" ? "" : `${path}: `}${cell(message)}`)
    return yield* refused("failed", ["The workflow is not valid:", ...lines].join("\n"))
  }
  yield* answer(settings, fields, () => ExplainView.text(fields, graph, window))
})

export const explain = Effect.fnUntraced(function* (settings: ExplainSettings) {
  const { workflow } = settings
  if (existsSync(workflow)) return yield* explained(settings, (yield* fileOf(workflow)).fields, "")
  yield* connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, workflow) }
      const view = yield* client.workflows.get({ params })
      const stored = yield* client.runWindows.getRunWindow({ params })
      const window = WindowView.stored(stored, "").trimEnd()
      yield* explained(settings, { ...view, run_window: stored.run_window }, window)
    })
  )
})

interface ExportSettings extends Settings {
  readonly workflow: string
  readonly file: Option.Option<string>
  readonly playwright: boolean
  readonly force: boolean
}

const exported = Effect.fnUntraced(function* (settings: ExportSettings, fields: CodeFile.Fields) {
  const { missing, remarks, text } = PlaywrightProgram.program(CodeFile.json(fields))
  if (Option.isNone(settings.file)) return yield* answer(settings, { text, missing, remarks }, () => text.trimEnd())
  const path = settings.file.value
  if (existsSync(path) && !settings.force) {
    return yield* refused("conflict", `${path} exists: name another file, or replace it with --force`)
  }
  yield* write(path, text)
  yield* answer(settings, { file: path, missing, remarks }, () =>
    [
      `Wrote ${path}`,
      ...missing.map((one) => `It stops at ${cell(one)}`),
      ...remarks.map((remark) => `It does without ${cell(remark)}`)
    ].join("\n")
  )
})

/** Writes a workflow of the service, or of a file, as a program of Playwright. */
export const exportProgram = Effect.fnUntraced(function* (settings: ExportSettings) {
  const { workflow } = settings
  if (!settings.playwright) {
    return yield* refused("wrong", "Expected --playwright: workflow pull writes a workflow as JSON or TypeScript")
  }
  if (existsSync(workflow)) {
    const { fields } = yield* fileOf(workflow)
    const problems = yield* problemsOf(fields)
    if (problems.length > 0) {
      return yield* refused(
        "failed",
        `${workflow} does not contain a valid workflow: sluice workflow validate shows why`
      )
    }
    return yield* exported(settings, fields)
  }
  yield* connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, workflow) }
      yield* exported(settings, yield* client.workflows.get({ params }))
    })
  )
})

interface PaceSettings extends Settings {
  readonly workflow: string
  readonly starts: Option.Option<string>
  readonly running: Option.Option<string>
}

/** A limit as it was given; the stored one where it was not. */
const limitOf = Effect.fnUntraced(function* (
  flag: string,
  given: Option.Option<string>,
  stored: number | null,
  most: number
) {
  if (Option.isNone(given)) return stored
  if (given.value === "none") return null
  const limit = /^\d{1,9}$/.test(given.value) ? Number(given.value) : 0
  return limit >= 1 && limit <= most
    ? limit
    : yield* refused("wrong", `--${flag}: expected a whole number from 1 to ${most}, or none, got ${given.value}`)
})

/** Shows how fast the runs of a workflow may start, and sets it first where a limit is given. */
interface CanarySettings extends Settings {
  readonly workflow: string
  readonly end: Option.Option<"promote" | "stop">
  readonly reason: Option.Option<string>
}

export const canary = (settings: CanarySettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const payload = Option.isSome(settings.reason) ? { reason: settings.reason.value } : {}
      const end = Option.getOrNull(settings.end)
      const shown = yield* end === null
        ? client.canaries.getCanary({ params })
        : end === "promote"
          ? client.canaries.promoteCanary({ params, payload })
          : client.canaries.stopCanary({ params, payload })
      const counted = (name: string, { failed, succeeded }: { readonly failed: number; readonly succeeded: number }) =>
        `${name}: ${failed} of ${failed + succeeded} ended runs failed`
      yield* answer(settings, shown, () =>
        [
          `Version ${shown.version_number}: ${shown.state}, with ${shown.share} of the runs beside version ${shown.base_version_number}`,
          ...(shown.evidence === null
            ? []
            : [
                counted(`Version ${shown.version_number}`, shown.evidence.candidate),
                counted(`Version ${shown.base_version_number}`, shown.evidence.base)
              ]),
          ...(shown.reason === null ? [] : [cell(shown.reason)]),
          ...(shown.restored_version_number === null
            ? []
            : [
                `Version ${shown.restored_version_number} has the content of version ${shown.base_version_number} again`
              ])
        ].join("\n")
      )
    })
  )

export const pace = (settings: PaceSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const params = { workflow_id: yield* workflowId(client, settings.workflow) }
      const stored = yield* client.runWindows.getPace({ params })
      const { max_running, max_starts_per_minute } = stored
      const payload = {
        max_starts_per_minute: yield* limitOf("starts", settings.starts, max_starts_per_minute, mostStartsPerMinute),
        max_running: yield* limitOf("running", settings.running, max_running, mostRunning)
      }
      const isGiven = Option.isSome(settings.starts) || Option.isSome(settings.running)
      const shown = isGiven ? yield* client.runWindows.setPace({ params, payload }) : stored
      yield* answer(settings, shown, () =>
        [
          `Starts in any 60 seconds: ${shown.max_starts_per_minute ?? "any number"}`,
          `Runs at the same time: ${shown.max_running ?? "any number"}`
        ].join("\n")
      )
    })
  )
