/**
 * The workflow that a user means, by its id or by its name.
 */
import { Effect } from "effect"
import type { Client } from "../../api/Client.ts"
import { type Refused, refused } from "./Ending.ts"

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

type Listed = ReturnType<Client["workflows"]["list"]>

/** The id of a workflow. A name that several workflows have is refused with their ids. */
export const workflowId: (client: Client, named: string) => Effect.Effect<string, Refused | Effect.Error<Listed>> =
  Effect.fnUntraced(function* (client: Client, named: string) {
    if (isId(named)) return named
    const found = (yield* client.workflows.list({ query: {} })).filter(({ name }) => name === named)
    const [only] = found
    if (only === undefined) return yield* refused("missing", `There is no workflow with the id or the name "${named}"`)
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(", ")
      return yield* refused("wrong", `${found.length} workflows have the name "${named}": give an id, one of ${ids}`)
    }
    return only.id
  })
