/**
 * The log of a process, on standard error: standard output is for answers.
 */
import { Effect, Layer, LogLevel as Level, Logger, References } from "effect"
import { GlobalFlag } from "effect/cli"
import * as LineWriter from "../../adapters/log/LineWriter.ts"
import { LogFilter } from "../../adapters/log/LogFilter.ts"
import { formatters } from "../../adapters/log/LogFormat.ts"
import { logging, logLevelOf } from "./Settings.ts"

export const LogLevel = GlobalFlag.Setting("log-level")({ flag: logging.logLevel })
export const LogFormat = GlobalFlag.Setting("log-format")({ flag: logging.logFormat })

/** The built-in flags of every command, without the flag for the log level, which does not read the variable. */
export const builtIns = GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.LogLevel)

const writer = LineWriter.make({
  descriptor: 2,
  dropped: (count) =>
    `${JSON.stringify({ level: "warn", message: `${count} lines of the log were dropped: they were not read in time` })}`
})

process.once("exit", writer.finish)

/** The time that the end of the process waits for a reader of the log, in milliseconds. */
const flushMillis = 1_000

/** Writes the logged lines, as far as they are read in time. */
export const flush = (): Promise<void> => writer.flush(flushMillis)

/** The level that a signal switches on and off. */
const signalled: Level.LogLevel = "Debug"

/**
 * The current minimum log level. Lines at the level of the signal are always created and filtered here, because a fiber
 * keeps the level that it started with.
 */
const least = (set: Level.LogLevel) => {
  let now = set
  process.on("SIGUSR2", () => {
    now = now === set ? signalled : set
    writer.line(
      JSON.stringify({ level: "info", message: "Log level changed", log_level: now.toLowerCase(), pid: process.pid })
    )
  })
  return (level: Level.LogLevel) => Level.isGreaterThanOrEqualTo(level, now)
}

/** The loggers and the minimum log level from the flags. SIGUSR2 switches to level Debug, and back. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const format = formatters[yield* LogFormat] ?? Logger.formatLogFmt
    const set = logLevelOf(yield* LogLevel)
    const isLogged = least(set)
    const logger = Logger.make<unknown, void>((entry) => {
      if (isLogged(entry.logLevel)) writer.line(format.log(entry))
    })
    const lowest = Level.isLessThan(set, signalled) ? set : signalled
    return Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, lowest),
      Layer.succeed(LogFilter, isLogged)
    )
  })
)
