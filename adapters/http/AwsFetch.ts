/** Fetches the addresses in notifications of Amazon SNS: certificates and confirmations of subscriptions. */
import { Context, Effect } from "effect"

const maxCharacters = 65_536

/** Fetches the text at an `https` address of amazonaws.com. Fails for any other address. */
export type AwsFetch = (url: URL) => Effect.Effect<string, Error>

export const AwsFetch: Context.Reference<AwsFetch> = Context.Reference("sluice/adapters/http/AwsFetch", {
  defaultValue: (): AwsFetch => (url) =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await fetch(url, {
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)])
        })
        if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
        const text = await answer.text()
        if (text.length > maxCharacters) throw new Error("The answer is too long")
        return text
      },
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
    })
})
