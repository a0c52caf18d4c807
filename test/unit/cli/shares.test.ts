import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { areSeveral, placesOf } from "../../../apps/cli/layers/WorkspaceShares.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Workspace } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { workspaceOf } from "../../kit/contracts/Fixtures.ts"

const alone = workspaceOf(WorkspaceId.make("00000000-0000-4000-8000-000000000001"))
const away = Effect.fail(new StoreUnavailable({ reason: "down" }))
const given = (list: Effect.Effect<ReadonlyArray<Workspace>, StoreUnavailable>) => Layer.mock(WorkspaceStore, { list })
const one = given(Effect.succeed([alone]))
const two = given(Effect.succeed([alone, alone]))

it.effect.each([
  ["all places where there is one workspace", one, 4, null, 4],
  ["all but one where there are two", two, 4, null, 3],
  ["the only place of a worker", two, 1, null, 1],
  ["what the operator set", two, 4, 2, 2],
  ["no more than there are", one, 4, 9, 4],
  ["all but one while the workspaces cannot be counted", given(away), 4, null, 3]
] as const)("a workspace may have %s", ([, workspaces, concurrency, set, expected]) =>
  Effect.gen(function* () {
    const places = yield* placesOf(Option.fromNullOr<number | null>(set), concurrency, areSeveral)
    assert.strictEqual(places, expected)
  }).pipe(Effect.provide(workspaces))
)
