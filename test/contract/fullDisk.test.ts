import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import { WriteProbe } from "../../adapters/postgres/server/WriteProbe.ts"
import { withoutSqlErrors } from "../../adapters/postgres/Transaction.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { smallDisk } from "../support/smallDisk.ts"

it.live("an embedded database on a full disk says that no space is left, and is ready again when there is", () =>
  Effect.gen(function* () {
    const { folder, isMounted } = yield* smallDisk(150)
    if (!isMounted) return
    const services = yield* Layer.build(Embedded.layer(join(folder, "data")))
    const within = Effect.provideContext(services)
    const made = yield* within(Effect.flatMap(makeWorkspace(), (caller) => makeWorkflow(caller)))
    const submit = within(Effect.flatMap(RunStore, (runs) => Effect.exit(Effect.asVoid(runs.submit(submission(made))))))
    const writes = within(Effect.flatMap(WriteProbe, ({ ask }) => ask))
    assert.isTrue(Exit.isSuccess(yield* submit))
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })

    const ballast = join(folder, "ballast")
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    assert.deepStrictEqual(yield* writes, {
      _tag: "Refused",
      reason: `no space left on the disk of ${join(folder, "data")}: 0 MB are free, and at least 32 MB are needed`
    })
    const sql = Context.get(services, SqlClient.SqlClient)
    const large = withoutSqlErrors(
      sql`create table filled as select repeat(md5(i::text), 100) as t from generate_series(1, 20000) as i`
    )
    const failed = yield* Effect.flip(large)
    assert.strictEqual(failed._tag, "StoreUnavailable")
    assert.match(failed.message, /no space left/i)

    rmSync(ballast)
    assert.deepStrictEqual(yield* writes, { _tag: "Accepted" })
    assert.isTrue(Exit.isSuccess(yield* submit))
  }).pipe(Effect.scoped)
)
