/** A run in words: its steps as sentences, the reason why it waits, and the run as Markdown. */
import type { RunRecord } from "../../api/run/RunRecord.ts"
import { startOneWord, unpauseWords } from "../data/Unpausing.ts"
import { duration } from "../kit/Times.ts"

export type Run = typeof RunRecord.Type

interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

export interface Step {
  readonly name: string
  readonly sentence: string
  readonly state: "done" | "skipped" | "failed" | "running" | "stopped"
  readonly at: number
  /** `null` while unknown. */
  readonly millis: number | null
  /** The attempt of the run, from 0. */
  readonly attempt: number
  /** What happened within it: recoveries, questions, control by a person. */
  readonly notes: ReadonlyArray<string>
  readonly pictures: ReadonlyArray<Picture>
  /** The turns of the loops around it, the outermost first. */
  readonly turns: ReadonlyArray<Turn>
}

/** A turn of a loop, by the name of its node. */
export interface Turn {
  readonly loop: string
  /** From 0. */
  readonly index: number
  readonly count: number
  /** The text of its item, or the texts of the fields of its item. */
  readonly item: string | Readonly<Record<string, string>>
}

export interface Picture {
  readonly address: string
  readonly name: string
  readonly at: number
  readonly isOfError: boolean
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const ends: ReadonlySet<string> = new Set(["execution.success", "execution.failed", "execution.stopped"])

export const isEnded = ({ status }: Run): boolean => ends.has(status)

/** The address of an artifact on the page's own host: the page loads nothing from other hosts. */
export const localAddress = (url: string): string => {
  if (URL.parse(url) === null) return ""
  const { hash, pathname, search } = new URL(url)
  return `${pathname}${search}${hash}`
}

/** The steps that a run has done, oldest first, with the names of its workflow. */
export const stepsOf = (run: Run, nodes: ReadonlyArray<Node>): ReadonlyArray<Step> => {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const steps: Array<Step & { notes: Array<string>; pictures: Array<Picture> }> = []
  let attempt = 0
  const endLast = (at: number, state: Step["state"]) => {
    const last = steps.at(-1)
    if (last?.state === "running") steps[steps.length - 1] = { ...last, state, millis: at - last.at }
  }
  for (const { at: written, event, payload } of run.events) {
    const at = Date.parse(written)
    switch (event) {
      case "execution.step":
      case "execution.step_skipped": {
        endLast(at, "done")
        const name = text(payload.current_step)
        const node = byName.get(name)
        const isSkipped = event === "execution.step_skipped"
        const turns = turnsOf(payload.loops)
        steps.push({
          name,
          sentence: node === undefined ? name : withItems(sentenceOf(node), turns, byName),
          state: isSkipped ? "skipped" : "running",
          at,
          millis: isSkipped ? 0 : null,
          attempt,
          notes: [],
          pictures: [],
          turns
        })
        break
      }
      case "execution.requeued":
        endLast(at, "failed")
        attempt++
        break
      case "screenshot.uploaded":
        steps.at(-1)?.pictures.push({
          address: localAddress(text(payload.signed_screenshot_url)),
          name: text(payload.node_display_name),
          at,
          isOfError: payload.error_screenshot === true
        })
        break
      case "agent.error_analysis":
        steps.at(-1)?.notes.push(noteOf(payload))
        break
      case "interaction.waiting":
      case "execution.input_required":
        steps.at(-1)?.notes.push(`Asked a person: ${text(payload.message)}`)
        break
      case "interaction.finished":
        steps.at(-1)?.notes.push("A person answered")
        break
      case "control.taken":
        steps.at(-1)?.notes.push("A person took control of the browser")
        break
      case "execution.success":
        endLast(at, "done")
        break
      case "execution.failed":
        endLast(at, "failed")
        break
      case "execution.stopped":
        endLast(at, "stopped")
        break
    }
  }
  return steps
}

const turnsOf = (loops: unknown): ReadonlyArray<Turn> =>
  (Array.isArray(loops) ? loops : []).map(({ count, index, item, node_display_name }) => ({
    loop: text(node_display_name),
    index,
    count,
    item
  }))

/** A sentence with what its turns stand for in place of the variables of loops. */
const withItems = (sentence: string, turns: ReadonlyArray<Turn>, byName: ReadonlyMap<string, Node>): string =>
  sentence.replace(
    /\{\{\s*context\.runtime\.([\w-]+)(?:\.([\w-]+))?\s*\}\}/g,
    (reference, variable: string, field?: string) => {
      for (const { index, item, loop } of turns.toReversed()) {
        const { variable_current_index, variable_current_item } = byName.get(loop)?.parameters ?? {}
        if (variable === variable_current_index && field === undefined) return String(index)
        if (variable !== variable_current_item) continue
        return typeof item === "string"
          ? field === undefined
            ? item
            : reference
          : field === undefined
            ? itemWords(item)
            : (item[field] ?? reference)
      }
      return reference
    }
  )

/** The item of a turn in a line. */
const itemWords = (item: Turn["item"]): string =>
  typeof item === "string"
    ? item
    : Object.entries(item)
        .map(([name, value]) => `${name}: ${value}`)
        .join(", ")

/** A turn in a line: `For each row, 3 of 12: number: INV-4711`. */
export const turnWords = ({ count, index, item, loop }: Turn): string => {
  const shown = short(itemWords(item))
  return `${loop}, ${index + 1} of ${count}${shown === "" ? "" : `: ${shown}`}`
}

/** Steps in the shape of their loops: a step, or a turn with what was done in it. */
export type Entry =
  | { readonly step: Step; readonly at: number }
  | { readonly turn: Turn; readonly entries: ReadonlyArray<Entry> }

/**
 * The steps of a run nested in the turns of their loops. `at` of an entry is the index of its step. The steps of a loop
 * that only begin or end its turns are left out.
 */
export const nested = (steps: ReadonlyArray<Step>): ReadonlyArray<Entry> => {
  const whole: Array<Entry> = []
  let open: ReadonlyArray<{ readonly turn: Turn; readonly attempt: number; readonly entries: Array<Entry> }> = []
  steps.forEach((step, at) => {
    const { attempt, turns } = step
    const isOpen = (turn: Turn, depth: number) => {
      const around = open[depth]
      return around?.attempt === attempt && around.turn.loop === turn.loop && around.turn.index === turn.index
    }
    const differs = turns.findIndex((turn, depth) => !isOpen(turn, depth))
    const around = open.slice(0, differs < 0 ? turns.length : differs)
    for (const turn of turns.slice(around.length)) {
      const entries: Array<Entry> = []
      const beside = around.at(-1)?.entries ?? whole
      if (isOnlyTurning(beside.at(-1), turn.loop)) beside.pop()
      beside.push({ turn, entries })
      around.push({ turn, attempt, entries })
    }
    open = around
    const beside = around.at(-1)?.entries ?? whole
    const last = beside.at(-1)
    const ends = last !== undefined && "turn" in last && isOnlyTurning({ step, at }, last.turn.loop)
    if (!ends) beside.push({ step, at })
  })
  return whole
}

/** Whether an entry is the step of a loop, of which nothing else is to be told. */
const isOnlyTurning = (entry: Entry | undefined, loop: string): boolean => {
  if (entry === undefined || "turn" in entry) return false
  const { name, notes, pictures, state } = entry.step
  return name === loop && state === "done" && notes.length === 0 && pictures.length === 0
}

const noteOf = (payload: Readonly<Record<string, unknown>>): string => {
  const result = text(payload.recovery_outcome) === "success" || text(payload.outcome) === "success"
  const cause = text(payload.root_cause) || text(payload.analysis) || "an error"
  return result ? `Recovered from ${cause}` : `Could not recover from ${cause}`
}

/** The nodes of the workflow that an ended run never reached. */
export const neverRan = (run: Run, steps: ReadonlyArray<Step>, nodes: ReadonlyArray<Node>): ReadonlyArray<string> => {
  const seen = new Set(steps.map(({ name }) => name))
  return isEnded(run)
    ? nodes.filter(({ action, name }) => action !== "END" && !seen.has(name)).map(({ name }) => name)
    : []
}

/** Names that say what a step does, such as those of recorded steps. */
const spoken =
  /^(click|double-click|right-click|point at|type|choose|open|go|read|for each|repeat|drag|press) (?!.*\/\/)/i

/** The name that a node has before anyone gives it one, such as CLICK 1. */
const unnamed = /^[A-Z_]+( \d+)?$/

/** What a node does, as a sentence. */
export const sentenceOf = ({ action, name, parameters = {} }: Node): string => {
  const isOwn = !unnamed.test(name)
  if (action !== "START" && isOwn && spoken.test(name)) return name
  const named = isOwn ? `: ${name}` : ""
  const target = short(text(parameters.selector) || text(parameters.prompt))
  switch (action) {
    case "START":
      return `Open ${short(text(parameters.url)) || "the first page"}`
    case "NAVIGATE":
      return parameters.url === "back" ? "Go back" : `Go to ${short(text(parameters.url)) || "another page"}`
    case "CLICK":
      return `Click ${target || name}`
    case "DRAG":
      return `Drag ${target || name}`
    case "INPUT_TEXT":
      return `Type into ${target || name}`
    case "INPUT_SELECT":
      return `Choose an option of ${target || name}`
    case "EXTRACT_DATAMODEL":
      return `Read data from the page${named}`
    case "EXTRACT_NETWORK":
      return `Read data from the network${named}`
    case "SCREENSHOT":
      return "Take a screenshot of the page"
    case "TFA":
      return `Enter the one-time code of ${text(parameters.credential) || "the credential"}`
    case "BOOL_CONDITION":
      return `Decide${named}`
    case "LOOP":
      return `Repeat${named}`
    case "USER_INTERACTION":
      return `Ask a person${named}`
    case "FILE_DOWNLOAD":
      return `Download a file${named}`
    case "END":
      return "End"
    default:
      return name
  }
}

const short = (value: string): string => (value.length > 80 ? `${value.slice(0, 79)}…` : value)

/** A hold in words, and what ends it. */
export const holdWords = {
  run_window: {
    title: "Its run window is closed",
    press: `${startOneWord} starts this run alone. ${unpauseWords.run_window} lifts the run window: every run of the workflow that it alone holds starts, and those that are submitted until it opens.`
  },
  manual: {
    title: "The workflow is paused",
    press: `${unpauseWords.workflow} ends the pause for every run of the workflow. Runs that a run window holds stay held.`
  }
} as const

type Limit = NonNullable<Run["waits_for"][number]["limit"]>

const placeWords: Readonly<Record<Limit, string>> = {
  workspace_runs: "The workspace has its share of places",
  concurrency: "All places of the workers are in use"
}

const placeEnds: Readonly<Record<Limit, string>> = {
  workspace_runs:
    "One workspace may have SLUICE_WORKSPACE_RUNS places of a worker. It starts when another run of the workspace ends",
  concurrency:
    "A worker carries out SLUICE_CONCURRENCY runs at once. It starts when one of them ends and it is the turn of its workspace"
}

/** What a run waits for besides its holds: a title and what ends it; `null` for holds, which have more words. */
export const waitWords = ({
  ahead,
  credential,
  limit,
  limit_name,
  reason
}: Run["waits_for"][number]): { readonly title: string; readonly text: string } | null => {
  const named = credential === null ? "a credential" : `the credential of its input ${credential}`
  const before =
    ahead === null || ahead === 0
      ? ""
      : `. ${ahead.toLocaleString("en")} ${ahead === 1 ? "run" : "runs"} of the workflow ${ahead === 1 ? "starts" : "start"} before it`
  switch (reason) {
    case "run_window":
    case "manual":
      return null
    case "retry_delay":
      return { title: "It is tried again later", text: "It waits for the delay of a retry." }
    case "credential":
      return {
        title: "Its credential is in use",
        text: `Other runs use ${named}, as many as it allows. It starts when one of them ends.`
      }
    case "login":
      return {
        title: "Another run signs in",
        text: `One run at a time may sign in with ${named}. It starts when the other has signed in or ended.`
      }
    case "limit":
      return {
        title: `The limit ${short(limit_name ?? "")} allows no start now`,
        text: "It starts when a run that draws on the limit ends, when its minute has room again, or when the limit is resumed or changed."
      }
    case "pace":
      return { title: "It waits for the pace of its workflow", text: `The pace limits how many runs start${before}.` }
    case "capacity":
      return limit === null
        ? { title: "It waits for a worker", text: `It starts as soon as one takes it${before}.` }
        : { title: placeWords[limit], text: `${placeEnds[limit]}${before}.` }
    case "deadline":
      return { title: "It ends without a start", text: "It cannot start before the instant by which it must." }
  }
}

/** The open question of a run, from its events. */
export const isAsking = (run: Run): boolean => {
  const kinds = run.events
    .map(({ event }) => event)
    .filter((event) => /^interaction\.|input_required$|^execution\.(success|failed|stopped|requeued|step)$/.test(event))
  const last = kinds.at(-1)
  return !isEnded(run) && (last === "interaction.waiting" || last === "execution.input_required")
}

/** A run as Markdown, for a message or for a coding agent. */
export const markdownOf = (run: Run, name: string, steps: ReadonlyArray<Step>): string => {
  const lines = [
    `# Run of ${name}`,
    "",
    `- id: \`${run.session_id}\``,
    `- status: ${run.status}`,
    `- submitted: ${run.created_at}`,
    ...(run.execution_start === null ? [] : [`- started: ${run.execution_start}`]),
    ...(run.execution_end === null ? [] : [`- ended: ${run.execution_end}`]),
    ...run.holds.map(
      ({ kind, reason, until }) => `- held: ${kind}, ${reason}${until === null ? "" : `, until ${until}`}`
    ),
    ...run.waits_for.flatMap((wait) => {
      const words = waitWords(wait)
      return words === null ? [] : [`- waits: ${words.title}${wait.until === null ? "" : `, until ${wait.until}`}`]
    }),
    "",
    "## Steps",
    "",
    ...steps.map(
      ({ millis, notes, sentence, state, turns }, index) =>
        `${index + 1}. ${turns.map((turn) => `[${turnWords(turn)}] `).join("")}${sentence} (${state}${millis === null ? "" : `, ${duration(millis)}`})${notes.map((note) => `\n   - ${note}`).join("")}`
    ),
    ...(run.errors.length === 0
      ? []
      : ["", "## Errors", "", ...run.errors.map((error) => `- ${JSON.stringify(error)}`)]),
    ...(run.warning_count === 0
      ? []
      : [
          "",
          `## Warnings (${run.warning_count})`,
          "",
          ...run.warnings.map((warning) => `- ${JSON.stringify(warning)}`)
        ]),
    "",
    "## Inputs",
    "",
    fenced(run.input_variables),
    "",
    "## Output",
    "",
    fenced(run.output_data)
  ]
  return `${lines.join("\n")}\n`
}

/** A block whose fence is longer than any run of backticks within. */
const fenced = (value: unknown): string => {
  const body = JSON.stringify(value, null, 2)
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}json\n${body}\n${fence}`
}
