/** Which log entries the process writes, and exports. */
import { Context, type LogLevel } from "effect"

const all = (_level: LogLevel.LogLevel): boolean => true

/** Whether an entry of this level is logged now: the level may change while the process runs. By default, each is. */
export const LogFilter: Context.Reference<(level: LogLevel.LogLevel) => boolean> = Context.Reference(
  "sluice/adapters/log/LogFilter",
  { defaultValue: () => all }
)
