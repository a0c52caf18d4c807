/**
 * What an import does to a workspace: what it makes, what it changes, and what stays. A plan that is carried out in part
 * is made again from what the workspace has then. Nothing is deleted.
 */
import { Result, type Schema } from "effect"
import type { Terms } from "../../../../core/schedule/RunSchedule.ts"
import * as ScheduleBody from "../../../../core/schedule/ScheduleBody.ts"
import * as SaveBody from "../../../../core/workflow/SaveBody.ts"
import * as Settings from "../../../../core/workflow/Settings.ts"
import * as WorkflowFile from "../WorkflowFile.ts"
import type { Problem } from "./FolderForm.ts"
import * as FolderForm from "./FolderForm.ts"
import type { Wanted, WantedComponent, WantedSchedule, WantedWorkflow } from "./FolderReading.ts"
import * as FolderReading from "./FolderReading.ts"
import * as NodeReferences from "./NodeReferences.ts"
import type { Held, HeldWorkflow } from "./WorkspaceFiles.ts"
import * as WorkspaceFiles from "./WorkspaceFiles.ts"

/** What happens to one thing. */
export type Action = "create" | "change" | "keep"

/** A wanted thing with the one that the workspace has for it; `null` where it has none. */
interface Pair<W, H> {
  readonly wanted: W
  readonly held: H | null
  readonly action: Action
}

export interface PlannedWorkflow extends Pair<WantedWorkflow, HeldWorkflow> {
  readonly pace: Action
  readonly schedules: ReadonlyArray<PlannedSchedule>
}

export interface PlannedSchedule extends Pair<WantedSchedule, HeldWorkflow["schedules"][number]> {
  /** What is done after it is made or changed; `null` where its state stays. */
  readonly state: "pause" | "resume" | null
}

export interface Plan {
  readonly codes: ReadonlyArray<Pair<Wanted["codes"][number], Held["codes"][number]>>
  readonly components: ReadonlyArray<Pair<WantedComponent, Held["components"][number]>>
  readonly workflows: ReadonlyArray<PlannedWorkflow>
  readonly webhooks: ReadonlyArray<
    Pair<Wanted["webhooks"][number], Held["webhooks"][number]> & { readonly active: boolean }
  >
  /** What the workspace has and the folder does not. It stays. */
  readonly others: ReadonlyArray<string>
  /** The credentials of the folder that the workspace does not have. */
  readonly missing: Wanted["credentials"]
  readonly problems: ReadonlyArray<Problem>
}

export interface Options {
  readonly now: number
  /** Whether schedules and webhooks get the state that they have in the folder. New ones are off otherwise. */
  readonly activate: boolean
  /** Whether the key may change webhooks. */
  readonly manages: boolean
}

const canonical = (value: unknown): string => JSON.stringify(WorkflowFile.sorted(value))

interface Pairing<W, H> {
  readonly wanted: ReadonlyArray<W>
  readonly held: ReadonlyArray<H>
  /** Things of one key are the same thing. */
  readonly wantedKey: (one: W) => string
  readonly heldKey: (one: H) => string
  readonly isEqual: (one: W, other: H) => boolean
}

/**
 * Finds for each wanted thing the held one of its key: an equal one first, then in their order. `unclear` are the wanted
 * ones of a key that more held ones have, so that nobody can say which of these is meant.
 */
export const paired = <W, H>({ held, heldKey, isEqual, wanted, wantedKey }: Pairing<W, H>) => {
  const left = new Set(held)
  const found = new Map<W, H>()
  const take = (one: W, isIt: (other: H) => boolean) => {
    const key = wantedKey(one)
    const taken = [...left].find((other) => heldKey(other) === key && isIt(other))
    if (taken === undefined) return
    left.delete(taken)
    found.set(one, taken)
  }
  for (const one of wanted) take(one, (other) => isEqual(one, other))
  const rest = wanted.filter((one) => !found.has(one))
  const unclear = rest.filter((one) => {
    const key = wantedKey(one)
    const count = [...left].filter((other) => heldKey(other) === key).length
    return count > rest.filter((other) => wantedKey(other) === key).length
  })
  for (const one of rest) take(one, () => true)
  const pairs = wanted.map((one): Pair<W, H> => {
    const other = found.get(one) ?? null
    return {
      wanted: one,
      held: other,
      action: other === null ? "create" : isEqual(one, other) ? "keep" : "change"
    }
  })
  return { pairs, unclear, left: [...left] }
}

/** What a workflow of either side is compared by. */
const contentOf = (fields: Schema.JsonObject, now: number): string => {
  const { content, description, name, window } = SaveBody.read(
    { ...fields, run_window: fields.run_window ?? null },
    now
  )
  const { settings, ...versioned } = content
  return canonical({ ...versioned, ...Settings.complete(settings), name, description: description ?? "", window })
}

/**
 * The address of a proxy with a password is in no folder: the one of the workspace stays, where both have such a proxy.
 */
export const withProxy = (fields: Schema.JsonObject, held: HeldWorkflow | null): Schema.JsonObject =>
  fields.proxy_setting === "custom" && fields.proxy_value == null && held?.view.proxy_setting === "custom"
    ? { ...fields, proxy_value: held.view.proxy_value }
    : fields

const termsOf = (record: HeldWorkflow["schedules"][number], now: number): Terms | null => {
  const read = ScheduleBody.read({ ...WorkspaceFiles.scheduleOf(record), workflow_id: record.workflow_id }, now)
  return Result.isSuccess(read) ? read.success.terms : null
}

const plannedSchedules = (wanted: WantedWorkflow, held: HeldWorkflow | null, { activate, now }: Options) => {
  const { left, pairs, unclear } = paired({
    wanted: wanted.schedules,
    held: (held?.schedules ?? []).filter((one) => WorkspaceFiles.isLasting(one, now)),
    wantedKey: ({ name }) => name,
    heldKey: ({ name }) => name,
    isEqual: ({ terms }, record) => canonical(terms) === canonical(termsOf(record, now))
  })
  const stateOf = ({ held, wanted }: (typeof pairs)[number]): PlannedSchedule["state"] => {
    const isActive = held === null || held.paused === null
    const toBeActive = activate ? wanted.active : held !== null && isActive
    return isActive === toBeActive ? null : toBeActive ? "resume" : "pause"
  }
  return {
    schedules: pairs.map((pair): PlannedSchedule => {
      const state = stateOf(pair)
      return { ...pair, state, action: pair.action === "keep" && state !== null ? "change" : pair.action }
    }),
    problems: unclear.map(({ name }) => ({
      path: `workflows/${wanted.reference}.json: schedules`,
      message: `The workspace has several schedules with the name "${name}" for this workflow: give each a name of its own, or delete those that are not meant`
    })),
    left: left.map(({ id, name }) => `schedule ${name === "" ? id : `"${name}"`} of "${wanted.name}"`)
  }
}

const plannedWorkflow = (
  { action, held, wanted }: Pair<WantedWorkflow, HeldWorkflow>,
  options: Options
): {
  readonly planned: PlannedWorkflow
  readonly problems: ReadonlyArray<Problem>
  readonly left: ReadonlyArray<string>
} => {
  const { left, problems, schedules } = plannedSchedules(wanted, held, options)
  const stored = held?.pace ?? { max_running: null, max_starts_per_minute: null }
  const pace = canonical(stored) === canonical(wanted.pace) ? "keep" : held === null ? "create" : "change"
  return { planned: { wanted, held, action, pace, schedules }, problems, left }
}

const workflowKey = (name: string, folder: unknown): string => JSON.stringify([name, folder ?? ""])

const plannedWorkflows = (wanted: Wanted, held: Held, components: Names, codes: Names, options: Options) => {
  const isEqual = (one: WantedWorkflow, other: HeldWorkflow) =>
    contentOf(withProxy(FolderReading.resolvedFields(one.fields, components, codes).resolved, other), options.now) ===
    // Every field of an answer is JSON.
    contentOf(other.view as unknown as Schema.JsonObject, options.now)
  const byId = new Map(held.workflows.map((one) => [one.view.id.toLowerCase(), one]))
  const heldOf = ({ id }: WantedWorkflow) => (id === null ? undefined : byId.get(id))
  const isTaken = new Set(wanted.workflows.flatMap((one) => heldOf(one) ?? []))
  const rest = paired({
    wanted: wanted.workflows.filter((one) => heldOf(one) === undefined),
    held: held.workflows.filter((one) => !isTaken.has(one)),
    wantedKey: ({ fields, name }) => workflowKey(name, fields.folder_path),
    heldKey: ({ view }) => workflowKey(view.name, view.folder_path),
    isEqual
  })
  const others = new Map(rest.pairs.map((pair) => [pair.wanted, pair]))
  const planned = wanted.workflows.flatMap((one) => {
    const known = heldOf(one)
    const pair: Pair<WantedWorkflow, HeldWorkflow> | undefined =
      known === undefined
        ? others.get(one)
        : { wanted: one, held: known, action: isEqual(one, known) ? "keep" : "change" }
    return pair === undefined ? [] : [plannedWorkflow(pair, options)]
  })
  return {
    workflows: planned.map((one) => one.planned),
    problems: [
      ...rest.unclear.map(({ name, reference }) => ({
        path: `workflows/${reference}.json: name`,
        message: `The workspace has several workflows with the name "${name}" in this folder: rename them, or write the id of the one that is meant into the file`
      })),
      ...planned.flatMap(({ problems }) => problems)
    ],
    left: [
      ...rest.left.map(({ view }) => `workflow "${view.name}" (${view.id})`),
      ...planned.flatMap(({ left }) => left)
    ]
  }
}

type Names = ReadonlyMap<string, string>

/** The folder's fields of a code that are set, and the same ones of the workspace. A field that is not set stays. */
const isSameCode = (one: Wanted["codes"][number], other: Held["codes"][number]): boolean =>
  Object.entries(one).every(([name, value]) => value === null || Reflect.get(other, name) === value)

export const of = (wanted: Wanted, held: Held, options: Options): Plan => {
  const codes = paired({
    wanted: wanted.codes,
    held: held.codes,
    wantedKey: ({ error_code }) => NodeReferences.codeKey(error_code),
    heldKey: ({ error_code }) => NodeReferences.codeKey(error_code),
    isEqual: isSameCode
  })
  const codeIds = new Map(
    codes.pairs.map((pair) => [
      NodeReferences.codeKey(pair.wanted.error_code),
      pair.held?.id.toLowerCase() ?? FolderReading.anyId
    ])
  )
  const components = paired({
    wanted: wanted.components,
    held: held.components,
    wantedKey: ({ name }) => name,
    heldKey: ({ name }) => name,
    isEqual: ({ data }, { component_data }) =>
      canonical(FolderReading.resolvedData(data, new Map(), codeIds).resolved) === canonical(component_data)
  })
  const componentIds = new Map(
    components.pairs.map((pair) => [pair.wanted.reference, pair.held?.id.toLowerCase() ?? FolderReading.anyId])
  )
  const workflows = plannedWorkflows(wanted, held, componentIds, codeIds, options)
  const workflowIds = new Map(workflows.workflows.map((pair) => [pair.wanted.reference, pair.held?.view.id ?? null]))
  const webhooks = paired({
    wanted: wanted.webhooks,
    held: held.webhooks,
    wantedKey: ({ url, workflow }) =>
      canonical([url, workflow == null ? "every" : (workflowIds.get(workflow) ?? `new ${workflow}`)]),
    heldKey: ({ url, workflow_id }) => canonical([url, workflow_id ?? "every"]),
    isEqual: (one, other) =>
      one.validity === other.validity &&
      canonical(one.event_types_subscribed) === canonical(other.event_types_subscribed) &&
      (!options.activate || one.active === other.active)
  })
  const names = new Set(
    held.credentials.map(({ domain, permissioned_user_id }) => canonical([domain, permissioned_user_id]))
  )
  const changesWebhooks = webhooks.pairs.some(({ action }) => action !== "keep")
  return {
    codes: codes.pairs,
    components: components.pairs,
    workflows: workflows.workflows,
    webhooks: webhooks.pairs.map((pair) => ({
      ...pair,
      active: options.activate ? pair.wanted.active : (pair.held?.active ?? false)
    })),
    others: [
      ...codes.left.map(({ error_code }) => `error code "${error_code}"`),
      ...components.left.map(({ id, name }) => `component "${name}" (${id})`),
      ...workflows.left,
      ...webhooks.left.map(({ id, url }) => `webhook ${url} (${id})`)
    ],
    missing: wanted.credentials.filter(
      ({ domain, permissioned_user_id }) => !names.has(canonical([domain, permissioned_user_id]))
    ),
    problems: [
      ...components.unclear.map(({ name, reference }) => ({
        path: `components/${reference}.json: name`,
        message: `The workspace has several components with the name "${name}": rename those that are not meant`
      })),
      ...workflows.problems,
      ...(changesWebhooks && !options.manages
        ? [
            {
              path: FolderForm.paths.webhooks,
              message: "Only a key with the role Owner changes webhooks: use one, or empty the list"
            }
          ]
        : [])
    ]
  }
}

/** One line of what an import does. */
export interface Line {
  readonly action: Exclude<Action, "keep">
  readonly what: string
  readonly name: string
  readonly detail: string
}

const stateWords = { pause: "paused", resume: "resumed" } as const

const linesOfWorkflow = ({ action, held, pace, schedules, wanted }: PlannedWorkflow): ReadonlyArray<Line> => {
  const limits = `${wanted.pace.max_starts_per_minute ?? "any number of"} starts a minute, ${wanted.pace.max_running ?? "any number of"} at once`
  const renamed = held !== null && held.view.name !== wanted.name ? `was "${held.view.name}"` : ""
  return [
    ...(action === "keep" ? [] : [{ action, what: "workflow", name: wanted.name, detail: renamed }]),
    ...(pace === "keep" ? [] : [{ action: pace, what: "pace", name: wanted.name, detail: limits }]),
    ...schedules.flatMap((one): ReadonlyArray<Line> => {
      if (one.action === "keep") return []
      const detail = `of "${wanted.name}"${one.state === null ? "" : `, ${stateWords[one.state]}`}`
      return [{ action: one.action, what: "schedule", name: one.wanted.name || "(without a name)", detail }]
    })
  ]
}

/** What a plan makes and changes, in the order in which that happens. */
export const lines = ({ codes, components, webhooks, workflows }: Plan): ReadonlyArray<Line> => [
  ...codes.flatMap(
    ({ action, wanted }): ReadonlyArray<Line> =>
      action === "keep" ? [] : [{ action, what: "error code", name: wanted.error_code, detail: "" }]
  ),
  ...components.flatMap(
    ({ action, wanted }): ReadonlyArray<Line> =>
      action === "keep" ? [] : [{ action, what: "component", name: wanted.name, detail: "" }]
  ),
  ...workflows.flatMap(linesOfWorkflow),
  ...webhooks.flatMap(
    ({ action, active, wanted }): ReadonlyArray<Line> =>
      action === "keep" ? [] : [{ action, what: "webhook", name: wanted.url, detail: active ? "active" : "inactive" }]
  )
]

/** How many things stay as they are. */
export const kept = ({ codes, components, webhooks, workflows }: Plan): number =>
  [...codes, ...components, ...webhooks, ...workflows, ...workflows.flatMap(({ schedules }) => schedules)].filter(
    ({ action }) => action === "keep"
  ).length
