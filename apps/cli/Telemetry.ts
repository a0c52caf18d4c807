/** Exports traces and metrics of a process, if the environment variables of OpenTelemetry name a receiver. */
import { Effect, Layer } from "effect"
import { version } from "./Version.ts"

/** Whether the variables enable an export. */
export const isAskedFor = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false
  return Object.entries(environment).some(
    ([name, value = ""]) =>
      (/^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name) && value !== "") ||
      (/^OTEL_(TRACES|METRICS|LOGS)_EXPORTER$/.test(name) && value === "otlp")
  )
}

/** Without a receiver, no module is loaded and nothing is recorded. */
export const layer = (part: string): Layer.Layer<never> =>
  isAskedFor(process.env)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../adapters/telemetry/Telemetry.ts")),
          (Telemetry) => Telemetry.layer({ environment: process.env, part, version })
        )
      )
    : Layer.empty
