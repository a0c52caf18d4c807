/**
 * The HTTP client for the receiver of telemetry. It limits how long a request takes, and logs when the receiver is away
 * and when it is back: one line each, and at most one outage every ten seconds. A line names the host alone, because
 * addresses and headers of receivers contain keys.
 *
 * A request by `fetch` takes six times the processor time of one by this client, which is most of the cost of spans.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Duration, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest } from "effect/http"

/** The shortest time between the beginnings of two outages that are both logged, in milliseconds. */
const quietMillis = 10_000

const hostOf = ({ url }: HttpClientRequest.HttpClientRequest): string => URL.parse(url)?.host ?? "an invalid address"

/** What is known of a failure without its message, which contains the address. */
const reasonOf = ({ reason }: HttpClientError.HttpClientError): string =>
  reason._tag === "TransportError" ? "it cannot be reached" : `its answer cannot be read`

const firstError = 400

/** The client of one process. A request that takes longer than `timeout` fails. */
export const layer = (timeout: Duration.Input): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) => {
      let awaySince: number | null = null
      let loggedAt = Number.NEGATIVE_INFINITY
      let isLogged = false
      const away = (request: HttpClientRequest.HttpClientRequest, reason: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (awaySince !== null) return Effect.void
          awaySince = now
          isLogged = now >= loggedAt + quietMillis
          if (!isLogged) return Effect.void
          loggedAt = now
          return Effect.logWarning(
            `The receiver of telemetry at ${hostOf(request)} is away: ${reason}. What it misses is lost; the service goes on`
          )
        })
      const back = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (awaySince === null) return Effect.void
          const seconds = Math.round((now - awaySince) / 1_000)
          awaySince = null
          return isLogged
            ? Effect.logInfo(`The receiver of telemetry at ${hostOf(request)} takes it again, after ${seconds} s`)
            : Effect.void
        })
      const late = (request: HttpClientRequest.HttpClientRequest) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
      const limit = Duration.fromInputUnsafe(timeout)
      return HttpClient.transform(client, (answer, request) =>
        answer.pipe(
          // The body is kept with the response, and is part of what is limited.
          Effect.tap((response) => response.arrayBuffer),
          Effect.tap(({ status }) => (status < firstError ? back(request) : away(request, `it answers ${status}`))),
          Effect.tapError((error) => away(request, reasonOf(error))),
          Effect.timeoutOrElse({
            duration: limit,
            orElse: () =>
              Effect.andThen(
                away(request, `it does not answer within ${Duration.toSeconds(limit)} s`),
                Effect.fail(late(request))
              )
          })
        )
      )
    })
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
