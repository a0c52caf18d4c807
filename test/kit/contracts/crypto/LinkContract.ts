/** The promises of every implementation of `ArtifactLinks`, on the data of a store of workspaces. */
import { Clock, Context, Effect } from "effect"
import type { ArtifactLinks } from "../../../../core/run/artifact/ArtifactLinks.ts"
import { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { newId, workspaceOf } from "../Fixtures.ts"
import type { Processes } from "./Processes.ts"

/** The port in three processes, as `processesOf` of `@sluice/testing/installations` builds them. They share a store of workspaces. */
export class Installations extends Context.Service<Installations, Processes<ArtifactLinks["Service"]>>()(
  "sluice/test/kit/contracts/crypto/LinkContract"
) {}

/** What the promises are about. */
export type Stores = Installations | WorkspaceStore

const origin = "https://sluice.example"

/** The beginning of the clock of each promise. */
const start = Date.parse("2026-01-12T10:00:00Z")

const promise = <A, E>(
  title: string,
  test: (
    links: Processes<ArtifactLinks["Service"]>,
    time: SteppingClock.SteppingClock
  ) => Effect.Effect<A, E, WorkspaceStore>
) =>
  Contract.promise(
    `links to artifacts ${title}`,
    Effect.gen(function* () {
      const time = SteppingClock.make(start)
      const links = yield* Installations
      return yield* Effect.provideService(test(links, time), Clock.Clock, time.clock)
    })
  )

/** What an address says besides the artifact. */
const saidBy = (url: string) => {
  const { searchParams } = new URL(url)
  return { expires: searchParams.get("expires") ?? "", signature: searchParams.get("signature") ?? "" }
}

/** A text with another character in its middle. */
const altered = (text: string): string => {
  const middle = Math.floor(text.length / 2)
  return `${text.slice(0, middle)}${text[middle] === "A" ? "B" : "A"}${text.slice(middle + 1)}`
}

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("work from the call until they expire, in each process of an installation", ({ own, same }, time) =>
    Effect.gen(function* () {
      const id = yield* newId
      const { artifact } = yield* own.lasting(origin, 60_000)
      const { expires: until, url } = artifact(id)
      assert.strictEqual(Date.parse(until), start + 60_000)
      assert.isTrue(url.startsWith(`${origin}/artifacts/${id}?`), url)
      const { expires, signature } = saidBy(url)
      for (const [instant, works] of [
        [start, true],
        [start + 59_999, true],
        [start + 60_000, false]
      ] as const) {
        yield* time.set(instant)
        for (const links of [own, same]) assert.strictEqual(yield* links.verify(id, expires, signature), works)
      }
    })
  ),
  promise("work for one artifact and until one instant, and in no other installation", ({ other, own }) =>
    Effect.gen(function* () {
      const [id, another] = [yield* newId, yield* newId]
      const { expires, signature } = saidBy((yield* own.lasting(origin, 60_000)).artifact(id).url)
      assert.isTrue(yield* own.verify(id, expires, signature))
      assert.isFalse(yield* other.verify(id, expires, signature))
      assert.isFalse(yield* own.verify(another, expires, signature))
      for (const later of [`${Number(expires) + 1}`, `${expires}0`, "Infinity", "", "never", "1e99"]) {
        assert.isFalse(yield* own.verify(id, later, signature), later)
      }
      for (const wrong of ["", "A", altered(signature), `${signature}A`, signature.slice(1), "✓".repeat(43)]) {
        assert.isFalse(yield* own.verify(id, expires, wrong), wrong)
      }
    })
  ),
  promise("last for as long as their workspace has set", ({ own }) =>
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      for (const signedUrlTtlSeconds of [60, 86_400]) {
        const id = WorkspaceId.make(yield* newId)
        yield* store.create({ ...workspaceOf(id), signedUrlTtlSeconds })
        const { artifact } = yield* own.under(origin, id)
        assert.strictEqual(Date.parse(artifact(yield* newId).expires), start + signedUrlTtlSeconds * 1_000)
      }
    })
  ),
  promise("are accompanied by the address of the page that shows a run", ({ own }) =>
    Effect.gen(function* () {
      const id = yield* newId
      assert.isTrue((yield* own.lasting(origin, 60_000)).liveView(id).startsWith(`${origin}/live/${id}`))
    })
  )
]
