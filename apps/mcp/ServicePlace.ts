/** The place of the tools: a service that is reached over HTTP. */
import { Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { Client } from "../api/Client.ts"
import type { Place } from "./Tool.ts"

export interface Options {
  readonly client: Client
  /** The address that requests go to. */
  readonly baseUrl: string
  /** The address that people open. */
  readonly publicUrl: string
}

const withoutSlash = (address: string): string => (address.endsWith("/") ? address.slice(0, -1) : address)

/** The path of an artifact with its signature, without the address under which people reach it. */
const artifact = /\/artifacts\/[^/?#]+\?[^#]*$/

export const make = ({ baseUrl, client, publicUrl }: Options): Place => ({
  client,
  publicUrl: withoutSlash(publicUrl),
  snapshot: (address) => {
    const found = artifact.exec(address)?.[0]
    return found === undefined
      ? Effect.succeed(null)
      : HttpClient.get(`${withoutSlash(baseUrl)}${found}`).pipe(
          Effect.flatMap(({ status, text }) => (status === 200 ? text : Effect.succeed(null))),
          // Without its page, a failed run is still explained.
          Effect.orElseSucceed(() => null),
          Effect.provide(FetchHttpClient.layer)
        )
  }
})
