/** A forecast of the starts of a workflow, as the interface answers it. */
import { Schema } from "effect"
import { type Forecast, mostCounted } from "../../../core/gate/Forecast.ts"

const instant = Schema.NullOr(Schema.String)

const fields = {
  waiting: Schema.Int.annotate({ description: `How many runs wait, counted up to ${mostCounted}` }),
  at_least: Schema.Boolean.annotate({ description: "Whether more runs wait than were counted" }),
  first_start_at: instant,
  last_start_at: instant.annotate({
    description: "When the last of the waiting runs starts; null when it is not in sight, or none waits"
  }),
  closes_at: instant.annotate({
    description: "When the run window closes that is open, or opens next; null when it never closes or opens"
  }),
  unfit: Schema.Int.annotate({ description: "How many of the waiting runs do not start before closes_at" }),
  limited_by: Schema.NullOr(Schema.Literals(["max_starts_per_minute", "max_running", "workers"])).annotate({
    description:
      "What puts off the last start: a limit of the pace or the workers; null when nothing but the window does"
  }),
  workers: Schema.NullOr(Schema.Struct({ capacity: Schema.Int, running: Schema.Int })).annotate({
    description:
      "How many runs all workers carry out at once, and how many they do now; null when that is not known, and free workers are assumed"
  }),
  mean_duration_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "The mean duration of the latest runs that succeeded; null before the first one: max_running and the workers are left out then, and runs can start later than said"
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
  first_start_at: isoOrNull(forecast.firstStartAt),
  last_start_at: isoOrNull(forecast.lastStartAt),
  closes_at: isoOrNull(forecast.closesAt),
  unfit: forecast.unfit,
  limited_by: forecast.limitedBy,
  workers: forecast.workers,
  mean_duration_ms: forecast.durationMillis === null ? null : Math.round(forecast.durationMillis)
})

const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
