/** Says before runs are submitted whether they will be held, by what and until when. */
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import { useQuery } from "../kit/Loaded.tsx"
import { act, client } from "../kit/Service.ts"
import { zoned } from "../kit/Times.ts"
import { type NewRuns, willHoldWords } from "./WillHold.ts"
import { namesOf, shortId, workflows } from "./Workflows.ts"

/** How many windows are asked for at once. */
const together = 8

/** For the new runs of workflows: how many of each, by its id. */
export const HoldNote = ({ runs }: { readonly runs: ReadonlyMap<string, number> }) => {
  const names = namesOf(useQuery(workflows).value)
  const [all, setAll] = useState<ReadonlyArray<NewRuns & { readonly id: string }> | null>(null)
  const key = JSON.stringify([...runs])
  useEffect(() => {
    let isCurrent = true
    const gateOf = ([id, count]: readonly [string, number]) =>
      Effect.map(client().runWindows.getRunWindow({ params: { workflow_id: id } }), (gate) => ({
        id,
        name: null,
        count,
        gate
      }))
    void act(Effect.forEach([...runs], gateOf, { concurrency: together })).then((found) => isCurrent && setAll(found))
    return () => {
      isCurrent = false
    }
  }, [key])
  if (all === null) return null
  const named = all.map((one) => (all.length === 1 ? one : { ...one, name: names.get(one.id) ?? shortId(one.id) }))
  return (
    <ul class="preview" aria-label="Whether they are held">
      {willHoldWords(named, (instant) => zoned(Date.parse(instant))).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
