/** Sends requests one after the other, judges each, and makes the ones that fail small. */
import type { Document } from "../support/description.ts"
import { type Case, encode, type Filled, fill, show, type Things } from "./Case.ts"
import { shrink, simplerCases } from "./Shrink.ts"
import type { Target } from "./Target.ts"
import * as Verdict from "./Verdict.ts"
import * as Wire from "./Wire.ts"

export interface Finding {
  readonly fault: Verdict.Fault
  /** The number of the first request that showed it, and how many did. */
  readonly index: number
  count: number
  readonly smallest: Case
  /** Whether the request alone, sent to another workspace, fails as well. */
  readonly alone: boolean
}

export interface Report {
  readonly requests: number
  readonly statuses: ReadonlyMap<number, number>
  readonly findings: ReadonlyArray<Finding>
  /** The operations that were asked for, with how many of their requests were carried out. */
  readonly accepted: ReadonlyMap<string, number>
  /** The slowest requests. */
  readonly slowest: ReadonlyArray<{ readonly index: number; readonly millis: number }>
  /** By operation, the longest turn of the event loop while one of its requests was answered, in fixed works. */
  readonly longestTurns: ReadonlyMap<string, number>
}

export interface Options {
  readonly document: Document
  readonly start: () => Promise<Target>
  readonly cases: (index: number) => Case
  readonly from: number
  readonly requests: number
  /** How long an answer is waited for; as long as in all tests by default. */
  readonly patience?: Wire.Patience
  /** How often a request that hangs is sent again to make it small: each takes as long as the patience. */
  readonly hangAttempts?: number
  /** How many requests share a workspace, and how many a service. */
  readonly requestsPerWorkspace?: number
  readonly requestsPerService?: number
  readonly onFinding?: (finding: Finding) => void
}

/** The longest that a request may hold the event loop of the service, in fixed works (`relativeCost.ts`). */
export const longestTurn = 10

/** A request is sent so often again before it is blamed: code is compiled, and garbage is collected, now and then. */
const heldAgain = 3

/** Sends the requests, and stops for nothing: a service that hangs or ends is replaced. */
export const run = async (options: Options): Promise<Report> => {
  const { document, from, requests, requestsPerService = 10_000, requestsPerWorkspace = 250 } = options
  const verdicts = Verdict.make(document)
  const statuses = new Map<number, number>()
  const accepted = new Map<string, number>()
  const findings = new Map<string, Finding>()
  const longestTurns = new Map<string, number>()
  const slowest: Array<{ index: number; millis: number }> = []
  const service = await Served.start(options)
  const noted = (fault: Verdict.Fault) => {
    const known = findings.get(fault.signature)
    if (known !== undefined) known.count++
    return known !== undefined
  }
  try {
    for (let index = from; index < from + requests; index++) {
      if (index > from && index % requestsPerService === 0) await service.restart()
      else if (index > from && index % requestsPerWorkspace === 0) await service.renew()
      const one = options.cases(index)
      const began = performance.now()
      const { result, sent } = await service.send(one)
      const millis = performance.now() - began
      if (result._tag === "Answered") statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
      const operation = verdicts.operationOf(sent.method, sent.path)
      if (operation !== null) {
        const isCarriedOut = result._tag === "Answered" && result.status < 300
        accepted.set(operation.operationId, (accepted.get(operation.operationId) ?? 0) + (isCarriedOut ? 1 : 0))
      }
      slowest.push({ index, millis })
      slowest.sort((one, other) => other.millis - one.millis).splice(5)
      const fault = verdicts.of(sent, result)
      if (result._tag === "Answered") {
        const turn = await service.held()
        const name = operation === null ? `${sent.method} ${sent.path.split("?")[0]}` : operation.operationId
        if (turn > (longestTurns.get(name) ?? 0)) longestTurns.set(name, turn)
        if (fault === null && turn > longestTurn) {
          const held = await service.heldBy(one, turn)
          const what = `Held the event loop for ${held.toFixed(1)} fixed works, expected at most ${longestTurn}`
          const found: Verdict.Fault = { kind: "held", what, signature: `held ${name}` }
          if (held > longestTurn && !noted(found)) {
            const finding = { fault: found, index, count: 1, smallest: one, alone: false }
            findings.set(found.signature, finding)
            options.onFinding?.(finding)
          }
        }
      }
      if (fault === null) continue
      if (result._tag !== "Answered") await service.restart()
      if (noted(fault)) continue
      const attempts = fault.kind === "hang" ? (options.hangAttempts ?? 0) : 100
      const finding = await smallest(service, verdicts, one, index, fault, attempts)
      findings.set(fault.signature, finding)
      options.onFinding?.(finding)
    }
  } finally {
    await service.close()
  }
  return { requests, statuses, findings: [...findings.values()], accepted, slowest, longestTurns }
}

/** Sends one case and judges it. */
export const replay = async (options: Pick<Options, "document" | "start" | "patience">, one: Case) => {
  const verdicts = Verdict.make(options.document)
  const service = await Served.start(options)
  try {
    const { result, sent } = await service.send(one)
    return { result, fault: verdicts.of(sent, result) }
  } finally {
    await service.close()
  }
}

/** The command that sends a finding once more. */
export const replayLine = ({ smallest }: Finding): string => `npm run fuzz -- --replay ${encode(smallest)}`

/** A finding as a person reads it. */
export const describe = (finding: Finding, seed: number): string =>
  [
    `${finding.fault.signature}: ${finding.count} times, first by request ${finding.index} of seed ${seed}`,
    `  ${show(finding.smallest)}`,
    `  ${finding.fault.what.slice(0, 600)}`,
    finding.alone
      ? `  ${replayLine(finding)}`
      : `  It needs what came before: npm run fuzz -- --seed ${seed} --requests ${finding.index + 1}`
  ].join("\n")

const smallest = async (
  service: Served,
  verdicts: Verdict.Verdicts,
  one: Case,
  index: number,
  fault: Verdict.Fault,
  attempts: number
): Promise<Finding> => {
  const fails = async (tried: Case) => {
    const { result, sent } = await service.send(tried)
    const found = verdicts.of(sent, result)
    if (result._tag !== "Answered") await service.restart()
    return found?.kind === fault.kind && found.signature === fault.signature
  }
  await service.renew()
  const alone = await fails(one)
  return { fault, index, count: 1, alone, smallest: alone ? await shrink(one, simplerCases, fails, attempts) : one }
}

/** A service that is replaced when it is lost. */
class Served {
  private target: Target
  private wire: Wire.Wire
  private things: Things
  private readonly options: Pick<Options, "start" | "patience">

  private constructor(options: Pick<Options, "start" | "patience">, target: Target, things: Things) {
    this.options = options
    this.target = target
    this.wire = Wire.make(target.url, options.patience)
    this.things = things
  }

  static async start(options: Pick<Options, "start" | "patience">) {
    const target = await options.start()
    return new Served(options, target, await target.things())
  }

  async send(one: Case): Promise<{ readonly sent: Filled; readonly result: Wire.Result }> {
    const sent = fill(one, this.things)
    return { sent, result: await this.wire.send(sent) }
  }

  /** Continues in a new workspace. */
  async renew() {
    this.things = await this.target.things()
    await this.held()
  }

  /** The longest turn of the event loop since the last such question. */
  held(): Promise<number> {
    return this.target.held(longestTurn)
  }

  /** The least of the longest turns by which a case holds the event loop each time that it is sent, the first included. */
  async heldBy(one: Case, first: number): Promise<number> {
    let least = first
    for (let time = 0; time < heldAgain && least > longestTurn; time++) {
      const { result } = await this.send(one)
      if (result._tag !== "Answered") return least
      least = Math.min(least, await this.held())
    }
    return least
  }

  async restart() {
    await this.close()
    this.target = await this.options.start()
    this.wire = Wire.make(this.target.url, this.options.patience)
    await this.renew()
  }

  async close() {
    this.wire.close()
    await this.target.kill()
  }
}
