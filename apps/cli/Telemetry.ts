/**
 * Traces and metrics of a process for a receiver of OpenTelemetry, where the variables of OpenTelemetry name one.
 */
import { Effect, Layer } from "effect"
import { version } from "./Version.ts"

/** Whether the variables ask for anything to be sent. */
export const isAskedFor = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false
  return Object.entries(environment).some(
    ([name, value = ""]) =>
      (/^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name) && value !== "") ||
      (/^OTEL_(TRACES|METRICS|LOGS)_EXPORTER$/.test(name) && value === "otlp")
  )
}

/** Nothing is loaded, and nothing is recorded, where nothing is asked for. */
export const layer = (part: string): Layer.Layer<never> =>
  isAskedFor(process.env)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../adapters/telemetry/Telemetry.ts")),
          (Telemetry) => Telemetry.layer({ environment: process.env, part, version })
        )
      )
    : Layer.empty
