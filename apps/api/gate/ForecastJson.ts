/** A forecast of the starts of a workflow, as the interface answers it. */
import { Schema } from "effect"
import { type Forecast, mostCounted } from "../../../core/gate/Forecast.ts"

const instant = Schema.NullOr(Schema.String)

const fields = {
  waiting: Schema.Int.annotate({ description: `How many runs wait, counted up to ${mostCounted}` }),
  at_least: Schema.Boolean.annotate({ description: "Whether more runs wait than were counted" }),
  expiring: Schema.Int.annotate({
    description: "How many of them end at their start_by without a start; the other fields leave them out"
  }),
  first_expires_at: instant.annotate({ description: "The first such instant; null where there is none" }),
  first_start_at: instant,
  last_start_at: instant.annotate({
    description: "When the last of the waiting runs starts; null if that is unknown, or if none waits"
  }),
  closes_at: instant.annotate({
    description: "When the open run window closes, or the closed one next opens; null if never"
  }),
  unfit: Schema.Int.annotate({ description: "The number of waiting runs that do not start before closes_at" }),
  limited_by: Schema.NullOr(Schema.Literals(["max_starts_per_minute", "max_running", "workers"])).annotate({
    description: "The limit that delays the last start: of the pace or the workers; null if only the window does"
  }),
  workers: Schema.NullOr(Schema.Struct({ capacity: Schema.Int, running: Schema.Int })).annotate({
    description: "The total capacity of the workers, and its use; null if unknown: free workers are then assumed"
  }),
  mean_duration_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "The mean duration of the latest successful runs; null before the first one: the forecast then ignores max_running and the workers, and runs can start later"
  })
}

const description =
  "An estimate from the pace, the run window, the workers and the mean duration of the latest runs that succeeded"

export const StartForecast = Schema.Struct(fields).annotate({ identifier: "StartForecast", description })

export const WorkflowForecast = Schema.Struct({ workflow_id: Schema.String, ...fields }).annotate({
  identifier: "WorkflowForecast",
  description
})

export const forecastJson = (forecast: Forecast): typeof StartForecast.Type => ({
  waiting: forecast.waiting,
  at_least: forecast.atLeast,
  expiring: forecast.expiring,
  first_expires_at: isoOrNull(forecast.firstExpiresAt),
  first_start_at: isoOrNull(forecast.firstStartAt),
  last_start_at: isoOrNull(forecast.lastStartAt),
  closes_at: isoOrNull(forecast.closesAt),
  unfit: forecast.unfit,
  limited_by: forecast.limitedBy,
  workers: forecast.workers,
  mean_duration_ms: forecast.durationMillis === null ? null : Math.round(forecast.durationMillis)
})

const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
