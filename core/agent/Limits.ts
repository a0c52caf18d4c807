/**
 * The limits of an execution and of its pages.
 */
import { Context } from "effect"
import { PageFailure } from "../browser/PageFailure.ts"
import { inBrackets, type Names } from "../runtime/SettingNames.ts"
import { StepFailed } from "./Failure.ts"

/** The bounds of a run, for any graph. */
export interface Limits {
  readonly steps: number
  readonly millis: number
  /** The names of the settings of these bounds, for messages. */
  readonly names?: Names
}

export const defaultLimits: Limits = { steps: 50_000, millis: 60 * 60_000 }

/** The limits of every run of a worker. */
export const RunLimits = Context.Reference<Limits>("sluice/core/agent/RunLimits", { defaultValue: () => defaultLimits })

export const exceeded = (limits: Limits, steps: number, millis: number): StepFailed | null => {
  if (millis >= limits.millis) return tooLong(limits)
  if (steps <= limits.steps) return null
  return new StepFailed({
    code: "LIMIT-E0001",
    sentence: `Ended after ${limits.steps} steps, the most that a run may take${inBrackets(limits.names, "runSteps")}`,
    original: null
  })
}

export const tooLong = (limits: Limits): StepFailed =>
  new StepFailed({
    code: "LIMIT-E0002",
    sentence: `Ended after ${limits.millis / 60_000} minutes, the longest that a run may take${inBrackets(limits.names, "runMinutes")}`,
    original: null
  })

/** The bounds of the pages of one session. */
export interface PageLimits {
  /** How long an address may take to load, in milliseconds. */
  readonly navigationMillis: number
  /** How long a page may be unresponsive, in milliseconds. */
  readonly unresponsiveMillis: number
  /** How many tabs may be open at once. */
  readonly tabs: number
  /** The memory limit of a renderer process, including what its pages allocate in shared processes, in bytes. */
  readonly memoryBytes: number
  /** How large a download may be, in bytes. */
  readonly downloadBytes: number
  /** How many downloads there may be. */
  readonly downloads: number
  /** The names of the settings of these bounds, for messages. */
  readonly names?: Names
}

const mebibyte = 1_048_576

export const defaultPageLimits: PageLimits = {
  navigationMillis: 30_000,
  unresponsiveMillis: 20_000,
  tabs: 20,
  memoryBytes: 1_024 * mebibyte,
  downloadBytes: 100 * mebibyte,
  downloads: 1_000
}

export const tooManyTabs = ({ names, tabs }: PageLimits): PageFailure =>
  new PageFailure({
    kind: "tabs",
    reason: `more than ${tabs} tabs were open, the most that a session may have${inBrackets(names, "pageWindows")}`
  })

export const tooMuchMemory = ({ memoryBytes, names }: PageLimits): PageFailure =>
  new PageFailure({
    kind: "memory",
    reason: `the page took more than ${inMebibytes(memoryBytes)} MB of memory, the most that a page may take${inBrackets(names, "pageMemory")}`
  })

export const tooLargeDownload = ({ downloadBytes, names }: PageLimits): PageFailure =>
  new PageFailure({
    kind: "downloads",
    reason: `the download is larger than ${inMebibytes(downloadBytes)} MB, the most that a download may be${inBrackets(names, "downloadSize")}`
  })

export const tooManyDownloads = ({ downloads, names }: PageLimits): PageFailure =>
  new PageFailure({
    kind: "downloads",
    reason: `there were more than ${downloads} downloads, the most that a session may have${inBrackets(names, "downloads")}`
  })

export const unresponsive = ({ names, unresponsiveMillis }: PageLimits): PageFailure =>
  new PageFailure({
    kind: "unresponsive",
    reason: `the page answered nothing for ${unresponsiveMillis / 1_000} seconds, the longest that a page may${inBrackets(names, "pageUnresponsive")}`
  })

const inMebibytes = (bytes: number): number => Math.round(bytes / mebibyte)
