import { Schema } from "effect"

/** Why a run starts later than now: its pace where that is what it waits for longest. */
export const StartsLater = Schema.Literals(["run_window", "manual", "retry_delay", "pace"])
export type StartsLater = typeof StartsLater.Type
