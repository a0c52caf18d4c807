/**
 * Runs in a real Chromium that keep a replay record, and a browser without a network that replays them.
 */
import { Layer, ManagedRuntime } from "effect"
import * as OfflineBrowser from "../../adapters/playwright/OfflineBrowser.ts"
import { executablePath, sharedBrowser } from "./realBrowser.ts"
import { recordedIn } from "./recordedRuns.ts"

/** Runs a workflow that records, and answers the run and the text of its record; no text where it has none. */
export const recorded = recordedIn(sharedBrowser)

const offline = ManagedRuntime.make(OfflineBrowser.layer({ ...OfflineBrowser.defaults, executablePath }))

/** The browser that all replays of a process share. */
export const offlineBrowser = Layer.effectContext(offline.contextEffect)
