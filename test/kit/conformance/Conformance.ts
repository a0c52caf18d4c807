/**
 * Asks a server whether it speaks the interface.
 *
 * **Example** (The scenarios of a section)
 *
 * ```ts
 * import { scenarios } from "@sluice/conformance"
 *
 * scenarios.filter(({ section }) => section === "Versioning").map(({ name }) => name) // => ["window-no-version", "run-version-fixed"]
 * ```
 */
import type { Need, Scenario } from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"
import * as Server from "./Server.ts"

export type { Scenario } from "./Scenario.ts"
export type { Mailer, Receiver, Send } from "./Server.ts"

/** Every scenario with its name, its section of the interface specification and its promise. */
export const scenarios: ReadonlyArray<Scenario> = Scenarios.scenarios

export interface Options {
  /** The address of the server, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** A key of an Owner of a test workspace. Scenarios create workflows and credentials in it, and remove them. */
  readonly key: string
  /** The encryption key of the workspace, 64 hexadecimal digits. Without it, scenarios that seal values are skipped. */
  readonly encryptionKey?: string
  /** A key of an Owner of another workspace. Without it, scenarios about two workspaces are skipped. */
  readonly secondKey?: string
  /** Whether scenarios may move the clock of the installation forward. They are skipped otherwise. */
  readonly moveClock?: boolean
  /** Receives the webhooks of the server. Without it, scenarios about deliveries are skipped. */
  readonly receiver?: Server.Receiver
  /**
   * Whether the server executes runs, with a browser that may open the address of the receiver, which serves a page there.
   * Scenarios about executed runs are skipped otherwise.
   */
  readonly executes?: boolean
  /** Sends mails to the server. Without it, scenarios about received codes are skipped. */
  readonly mailer?: Server.Mailer
  /**
   * Whether a scenario may send requests with one new key until the server refuses them. The scenario about rate limits is
   * skipped otherwise.
   */
  readonly flood?: boolean
  /** The scenarios that run; all when left out. */
  readonly only?: ReadonlyArray<string>
  /** Scenarios that are known to fail. */
  readonly expectedFailures?: ReadonlyArray<string>
  /** Sends the requests; the `fetch` of the runtime when left out. */
  readonly send?: Server.Send
}

/**
 * The outcome of a scenario. It has passed, or failed, or is skipped as a condition was not fulfilled. `unexpected`: it
 * failed, or it passed although it was expected to fail.
 */
export interface Outcome {
  readonly name: string
  readonly section: string
  readonly promise: string
  readonly passed: boolean
  readonly skipped: boolean
  readonly unexpected: boolean
  /** Why it failed or was skipped; `null` when it passed. */
  readonly reason: string | null
}

/** The names that belong to no scenario. */
export const unknownNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !scenarios.some((scenario) => scenario.name === name))

/** By a condition, the reason of what is skipped without it. */
const lacking: Readonly<Record<Need, string>> = {
  "encryption key": "the encryption key of the workspace is not given (--encryption-key)",
  "second key": "no key of a second workspace is given (--second-key)",
  receiver: "no address for webhooks is given (--receiver)",
  runs: "it is not known whether the server executes runs (--runs)",
  mail: "no address for mails is given (--mail)",
  flood: "a rate limit may not be reached on purpose (--flood)",
  clock: "the clock of the installation may not be moved (--move-clock)"
}

/** Runs scenarios one after the other. `onOutcome` is called with each outcome as soon as it is known. */
export const run = async (
  options: Options,
  onOutcome?: (outcome: Outcome) => void
): Promise<ReadonlyArray<Outcome>> => {
  const { encryptionKey, expectedFailures = [], key, mailer, only, receiver, secondKey, send = fetch, url } = options
  const given: Readonly<Record<Need, boolean>> = {
    "encryption key": encryptionKey !== undefined,
    "second key": secondKey !== undefined,
    receiver: receiver !== undefined,
    runs: options.executes === true && receiver !== undefined,
    mail: mailer !== undefined,
    flood: options.flood === true,
    clock: options.moveClock === true
  }
  const clock = await Server.clockOf({ url, key, send })
  const outcomes: Array<Outcome> = []
  for (const { name, needs = [], promise, run: asks, section } of scenarios) {
    if (only !== undefined && !only.includes(name)) continue
    const lacks = needs.find((need) => !given[need])
    const server = Server.make({
      url,
      key,
      encryptionKey: encryptionKey ?? "",
      secondKey: secondKey ?? null,
      send,
      receiver: receiver ?? null,
      mailer: mailer ?? null,
      clock
    })
    const ended = lacks === undefined ? await endOf(asks(server)) : { skipped: true, reason: lacking[lacks] }
    await server.tidy()
    const { reason, skipped } = ended
    const passed = reason === null
    const unexpected = !skipped && passed === expectedFailures.includes(name)
    const outcome = { name, section, promise, passed, skipped, unexpected, reason }
    outcomes.push(outcome)
    onOutcome?.(outcome)
  }
  return outcomes
}

const endOf = (asked: Promise<void>): Promise<{ readonly skipped: boolean; readonly reason: string | null }> =>
  asked.then(
    () => ({ skipped: false, reason: null }),
    (error: unknown) => ({
      skipped: error instanceof Server.Skipped,
      reason: error instanceof Error ? error.message : String(error)
    })
  )
