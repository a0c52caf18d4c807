/** A stream that is not read holds little in memory, whatever the size of its events. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Entry } from "../../../core/event/EventLog.ts"
import { page } from "../../../core/event/EventLog.ts"
import * as Mailbox from "../../../core/event/stream/Mailbox.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"

const workspaceId = WorkspaceId.make("00000000-0000-4000-8000-000000000001")
const entry = { workspaceId, runId: "run", clientId: null } as unknown as Entry
const offerAll = (mailbox: Mailbox.Mailbox, sizes: ReadonlyArray<number>) => {
  for (const size of sizes) Mailbox.offer(mailbox, entry, () => size)
}

it.effect("a mailbox keeps no more characters than a page of the log has, and says that it missed the rest", () =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make(workspaceId, "run")
    offerAll(mailbox, [page.characters / 2, page.characters / 2])
    assert.isFalse(mailbox.missed)
    offerAll(mailbox, [1, 0])
    assert.lengthOf(yield* Mailbox.takeNow(mailbox), 2)
    assert.isTrue(Mailbox.takeMissed(mailbox))
  })
)

it.effect("a mailbox that was emptied has room again, for one event whatever its size", () =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make(workspaceId, "run")
    for (const size of [page.characters, 10 * page.characters]) {
      offerAll(mailbox, [size])
      assert.lengthOf(yield* Mailbox.takeNow(mailbox), 1)
      assert.isFalse(Mailbox.takeMissed(mailbox))
    }
  })
)
