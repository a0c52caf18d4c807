/**
 * The log of a process, on standard error: standard output is for answers.
 */
import { Effect, Layer, LogLevel as Level, Logger, References } from "effect"
import { GlobalFlag } from "effect/cli"
import * as LineWriter from "../../adapters/log/LineWriter.ts"
import { formatters } from "../../adapters/log/LogFormat.ts"
import { logging, logLevelOf } from "./Settings.ts"

export const LogLevel = GlobalFlag.Setting("log-level")({ flag: logging.logLevel })
export const LogFormat = GlobalFlag.Setting("log-format")({ flag: logging.logFormat })

/** The built-in flags of every command. The one for the level of the log is replaced: it reads no variable. */
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

/** The level that a signal sets, and sets back. */
const signalled: Level.LogLevel = "Debug"

/**
 * The least level of the log at this moment. Lines below it that a signal may ask for are made and dropped: a fiber keeps
 * the level that it began with.
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

/**
 * The loggers and the least level of the log, as the flags of the command say. SIGUSR2 logs on the level Debug from then
 * on, and as before when it is sent again.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const format = formatters[yield* LogFormat] ?? Logger.formatLogFmt
    const set = logLevelOf(yield* LogLevel)
    const isLogged = least(set)
    const logger = Logger.make<unknown, void>((entry) => {
      if (isLogged(entry.logLevel)) writer.line(format.log(entry))
    })
    const lowest = Level.isLessThan(set, signalled) ? set : signalled
    return Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, lowest))
  })
)
