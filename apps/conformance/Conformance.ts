/**
 * Asks a server whether it speaks the interface.
 *
 * **Example** (The scenarios of a section)
 *
 * ```ts
 * import { scenarios } from "@sluice/conformance"
 *
 * scenarios.filter(({ section }) => section === "Versioning").map(({ name }) => name) // => ["window-no-version"]
 * ```
 */
import type { Scenario } from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"
import * as Server from "./Server.ts"

/** Every scenario with its name, its section of the interface specification and its promise. */
export const scenarios: ReadonlyArray<Scenario> = Scenarios.scenarios

export interface Options {
  /** The address of the server, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** A key of an Owner of a test workspace. Scenarios create workflows and credentials in it, and remove them. */
  readonly key: string
  /**
   * The encryption key of the workspace, 64 hexadecimal digits. Without it, the scenarios that seal values (`seals`) do
   * not run.
   */
  readonly encryptionKey?: string
  /** Whether scenarios may move the clock of the installation forward (`movesClock`). They do not run otherwise. */
  readonly moveClock?: boolean
  /** Receives the webhooks of the server. Without it, the scenarios about deliveries (`receives`) do not run. */
  readonly receiver?: Server.Receiver
  /**
   * Whether the server executes runs, with a browser that may open the address of the receiver, which serves a page there.
   * The scenarios about executed runs (`executes`) do not run otherwise.
   */
  readonly executes?: boolean
  /** The scenarios that run; all when left out. */
  readonly only?: ReadonlyArray<string>
  /** Scenarios that are known to fail. */
  readonly expectedFailures?: ReadonlyArray<string>
  /** Sends the requests; the `fetch` of the runtime when left out. */
  readonly send?: Server.Send
}

/** The outcome of a scenario. `unexpected`: it failed, or it passed although it was expected to fail. */
export interface Outcome {
  readonly name: string
  readonly section: string
  readonly promise: string
  readonly passed: boolean
  readonly unexpected: boolean
  /** Why it failed; `null` when it passed. */
  readonly reason: string | null
}

/** The names that belong to no scenario. */
export const unknownNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !scenarios.some((scenario) => scenario.name === name))

/** Runs scenarios one after the other. `onOutcome` is called with each outcome as soon as it is known. */
export const run = async (
  options: Options,
  onOutcome?: (outcome: Outcome) => void
): Promise<ReadonlyArray<Outcome>> => {
  const {
    encryptionKey,
    executes = false,
    expectedFailures = [],
    key,
    moveClock = false,
    only,
    receiver = null,
    send = fetch,
    url
  } = options
  const outcomes: Array<Outcome> = []
  for (const { executes: executed, movesClock, name, promise, receives, run: asks, seals, section } of scenarios) {
    if (only !== undefined && !only.includes(name)) continue
    if ((seals && encryptionKey === undefined) || (movesClock && !moveClock)) continue
    if ((receives && receiver === null) || (executed && !executes)) continue
    const server = Server.make({ url, key, encryptionKey: encryptionKey ?? "", send, receiver })
    const reason = await asks(server).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error))
    )
    await server.tidy()
    const passed = reason === null
    const outcome = { name, section, promise, passed, unexpected: passed === expectedFailures.includes(name), reason }
    outcomes.push(outcome)
    onOutcome?.(outcome)
  }
  return outcomes
}
