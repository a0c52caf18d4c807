import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { ReceivedCodes } from "../../core/vault/inbox/ReceivedCodes.ts"
import type { SealedColumns } from "../../core/vault/keys/ReencryptionTargets.ts"
import * as ReencryptionTargets from "../../core/vault/keys/ReencryptionTargets.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import { IdempotencyStore } from "../../core/workspace/request/Idempotency.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { entryOf } from "../support/entries.ts"
import { makeWorkspace } from "../support/fixtures.ts"

type Stores =
  | Layer.Success<(typeof databases.memory)[0]>
  | VaultEntries
  | ReceivedCodes
  | SealedColumns
  | IdempotencyStore
  | WorkspaceStore

/** The promises of every implementation of the stores of sealed values. */
const suite = <E>(name: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the places of sealed values (${name})`, (it) => {
    const fill = Effect.fnUntraced(function* (workspaceId: WorkspaceId, count: number) {
      const [entries, codes, answers] = [yield* VaultEntries, yield* ReceivedCodes, yield* IdempotencyStore]
      for (let index = 0; index < count; index++) {
        const entry = entryOf({}, { workspaceId, permissionedUserId: `user ${index}` })
        const fields = { ...entry.fields, user_name: `a${index}`, cookies: `b${index}`, proxy_value: "1.2.3.4" }
        yield* entries.insert(workspaceId, { ...entry, fields })
        const address = `${index}@x`
        yield* codes.keep(workspaceId, { id: randomUUID(), kind: "code", address, sealed: `c${index}`, receivedAt: 1 })
        yield* answers.once(
          { workspaceId, key: `k-${index}`, digest: "d" },
          Effect.succeed({ status: 200, contentType: "text/plain", body: index === 0 ? null : `d${index}` }),
          (answer) => ({ _tag: "Keep", answer })
        )
      }
    })

    /** Everything that a place has, in pages. */
    const paged = Effect.fnUntraced(function* (
      place: ReencryptionTargets.Target,
      workspaceId: WorkspaceId,
      limit: number
    ) {
      const found: Array<ReencryptionTargets.Holder> = []
      let after: string | null = null
      do {
        const left: number = yield* place.left(workspaceId, after)
        const page: Effect.Success<ReturnType<typeof place.page>> = yield* place.page(workspaceId, after, limit)
        assert.isAtMost(page.holders.length, limit)
        assert.isTrue(page.next === null ? left <= limit : left > limit)
        found.push(...page.holders)
        after = page.next
      } while (after !== null)
      return found
    })

    it.effect("are all listed, in the order in which they are gone through", () =>
      Effect.map(ReencryptionTargets.all, (places) =>
        assert.deepStrictEqual(
          places.map((place) => place.name),
          [
            "vault entries",
            "secret providers",
            "subscriptions to runs",
            "received codes",
            "answers of persons",
            "answers of named requests"
          ]
        )
      )
    )

    it.effect("are gone through page by page, each holder once, and no other workspace's", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* makeWorkspace(), yield* makeWorkspace()]
        yield* fill(mine.workspaceId, 5)
        yield* fill(theirs.workspaceId, 2)
        const expected: Record<string, ReadonlyArray<string>> = {
          "vault entries": ["a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4"],
          "received codes": ["c0", "c1", "c2", "c3", "c4"],
          "answers of named requests": ["d1", "d2", "d3", "d4"]
        }
        for (const place of yield* ReencryptionTargets.all) {
          for (const limit of [1, 2, 5, 50]) {
            const found = yield* paged(place, mine.workspaceId, limit)
            assert.strictEqual(new Set(found.map(({ id }) => id)).size, found.length)
            assert.deepStrictEqual(found.flatMap(({ sealed }) => sealed).sort(), expected[place.name] ?? [])
          }
        }
      })
    )

    it.effect("exchange the values that still stand, and leave all else as it is", () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        const stranger = yield* makeWorkspace()
        yield* fill(workspaceId, 2)
        const before = yield* (yield* VaultEntries).list(workspaceId)
        for (const place of yield* ReencryptionTargets.all) {
          const [holder] = (yield* place.page(workspaceId, null, 9)).holders.filter(({ sealed }) =>
            sealed.some((one) => one.endsWith("1"))
          )
          if (holder === undefined) continue
          const renewed = new Map(holder.sealed.map((one) => [one, `${one} anew`]))
          yield* place.replace(stranger.workspaceId, holder.id, renewed)
          yield* place.replace(workspaceId, holder.id, new Map([["another", "lost"]]))
          const same = (yield* place.page(workspaceId, null, 9)).holders.find(({ id }) => id === holder.id)
          assert.deepStrictEqual(same, holder)
          yield* place.replace(workspaceId, holder.id, renewed)
          const after = (yield* place.page(workspaceId, null, 9)).holders.find(({ id }) => id === holder.id)
          assert.deepStrictEqual(
            after?.sealed,
            holder.sealed.map((one) => `${one} anew`)
          )
        }
        const [first, second] = yield* (yield* VaultEntries).list(workspaceId)
        assert.deepStrictEqual(first, before[0])
        const [, changed] = before
        if (changed === undefined) return assert.fail("Expected two entries")
        const fields = { ...changed.fields, user_name: "a1 anew", cookies: "b1 anew" }
        assert.deepStrictEqual(second, { ...changed, fields })
        const code = yield* (yield* ReceivedCodes).latest(workspaceId, "1@x", { kind: "code", since: 0 })
        assert.strictEqual(Option.getOrThrow(code).sealed, "c1 anew")
        const kept = yield* (yield* IdempotencyStore).once(
          { workspaceId, key: "k-1", digest: "d" },
          Effect.die("Expected the kept answer"),
          () => ({ _tag: "Release" })
        )
        assert.deepInclude(kept, { answer: { status: 200, contentType: "text/plain", body: "d1 anew" } })
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0] as unknown as Layer.Layer<Stores, unknown>)
suite("postgres", databases.postgres[0] as unknown as Layer.Layer<Stores, unknown>)
