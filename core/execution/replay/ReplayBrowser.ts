/**
 * The port to a browser without a network, whose pages receive recorded answers.
 */
import { Context } from "effect"
import type { Browser } from "../../browser/Browser.ts"
import type { Asked, Found } from "./ReplayAnswers.ts"

/** The network of a replay. */
export interface ReplayNetwork {
  /** The instant that pages take for the present when the session begins, in epoch milliseconds. */
  readonly at: number
  readonly answer: (asked: Asked) => Found
  /** A connection that the browser tried to make outside of requests, such as that of a web socket, by its host and port. */
  readonly refused: (authority: string) => void
}

export class ReplayBrowser extends Context.Service<
  ReplayBrowser,
  {
    /** A browser that is on this network only. It has one session at a time. */
    readonly on: (network: ReplayNetwork) => Browser["Service"]
  }
>()("sluice/core/execution/replay/ReplayBrowser") {}
