/**
 * The log of a process, on standard error: standard output is for answers.
 */
import { Effect, Layer, Logger, References } from "effect"
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

/** The loggers and the least level of the log, as the flags of the command say. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const format = formatters[yield* LogFormat] ?? Logger.formatLogFmt
    return Layer.merge(
      Logger.layer([Logger.map(format, writer.line)]),
      Layer.succeed(References.MinimumLogLevel, logLevelOf(yield* LogLevel))
    )
  })
)
