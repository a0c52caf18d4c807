import { Effect } from "effect"
import { type Action, next } from "../Step.ts"

/** Waits the given seconds. */
export const delay: Action<"DELAY"> = ({ parameters }) => Effect.as(Effect.sleep(parameters.delay_time * 1_000), next)
