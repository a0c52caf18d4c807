import { Schema } from "effect"

/** Why a run starts later than now: the pace or the capacity of the workers where that is what it waits for longest. */
export const StartsLater = Schema.Literals(["run_window", "manual", "retry_delay", "pace", "capacity"])
export type StartsLater = typeof StartsLater.Type
