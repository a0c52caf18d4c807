/** Reads the audit trail of a workspace. Only its Owners may read it. */
import { Context, Effect, Layer, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Permissions from "../Permissions.ts"
import type { RoleForbids } from "../Workspace.ts"
import { Audit, type Entry, type Filter } from "./Audit.ts"

/** A page, newest entries first. `next` is the position to continue before; `null` after the last entry. */
export interface Page {
  readonly entries: ReadonlyArray<Entry>
  readonly next: number | null
}

export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    readonly page: (acting: Permissions.Acting, filter: Filter) => Effect.Effect<Page, RoleForbids | StoreUnavailable>

    /** All entries of a filter, newest first, read in pages of its limit while the stream is taken. */
    readonly all: (
      acting: Permissions.Acting,
      filter: Filter
    ) => Effect.Effect<Stream.Stream<Entry, StoreUnavailable>, RoleForbids>
  }
>()("sluice/core/workspace/audit/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.map(Audit, (audit) => {
      const read = Effect.fnUntraced(function* (
        { workspaceId }: Pick<Permissions.Acting, "workspaceId">,
        filter: Filter
      ) {
        const found = yield* audit.list(workspaceId, { ...filter, limit: filter.limit + 1 })
        const entries = found.slice(0, filter.limit)
        return { entries, next: found.length > filter.limit ? (entries.at(-1)?.position ?? null) : null } satisfies Page
      })
      return AuditTrail.of({
        page: Effect.fn("AuditTrail.page")(read),
        all: Effect.fn("AuditTrail.all")((acting, filter) =>
          Effect.succeed(
            Stream.paginate(filter, (from) =>
              Effect.map(
                read(acting, from),
                ({ entries, next }) =>
                  [entries, next === null ? Option.none() : Option.some({ ...from, before: next })] as const
              )
            )
          )
        )
      })
    }).pipe(Permissions.checked<AuditTrail["Service"]>({ page: "manage", all: "manage" }))
  )
}
