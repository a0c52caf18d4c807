/**
 * Walks graphs on a page in memory.
 */

import { Effect } from "effect"
import type { Outcome } from "../../core/agent/Outcome.ts"
import * as Json from "../../core/workspace/Json.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step, walk } from "./browser.ts"

/** The address where every graph starts. */
export const home = "https://shop.example/"

/** A shop of one page. */
export const site: ScriptedBrowser.ScriptedSite = {
  [home]: [
    { selector: "//h1", text: "Shop" },
    { selector: "#user", value: "" },
    { selector: "#go", leadsTo: home }
  ]
}

/** Walks steps on the shop. */
export const run = (
  steps: ReadonlyArray<Step>,
  inputs = {},
  network: ScriptedBrowser.ScriptedNetwork = {},
  options: Parameters<typeof walk>[2] = {}
) => walk(graphOf(home, steps), inputs, options).pipe(Effect.provide(ScriptedBrowser.layer(site, network)))

/** The data of a run that succeeds. */
export const dataOf = ({ outcome }: { readonly outcome: Outcome }) => {
  if (outcome._tag === "Success") return Json.objectOf(outcome.data)
  throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`)
}

/** The failure of a run that fails. */
export const failureOf = ({ outcome }: { readonly outcome: Outcome }) => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}
