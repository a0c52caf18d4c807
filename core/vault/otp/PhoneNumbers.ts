/**
 * The phone numbers that codes come to by SMS: that of the workspace, or else, for the first workspace of the installation,
 * that of the installation.
 *
 * An SMS does not name its credential, so a number that several workspaces share would show each of them the codes of
 * the others. The first workspace keeps the number when others are made: credentials and portals name it.
 */

import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { RoleForbids } from "../../workspace/Workspace.ts"

/** The number of the installation, in the form `+15551234567`; `null` where it has none. */
export const DefaultPhoneNumber = Context.Reference<string | null>("sluice/core/vault/otp/DefaultPhoneNumber", {
  defaultValue: () => null
})

/** Raised for a text that is no phone number. */
export class InvalidPhoneNumber extends Schema.TaggedError<InvalidPhoneNumber>()("InvalidPhoneNumber", {
  written: Schema.String
}) {
  override get message() {
    return `Cannot use "${this.written.slice(0, 64)}" as a phone number: expected one with its country, such as +15551234567`
  }
}

/** Raised for a number that belongs to another workspace or to the installation. */
export class PhoneNumberTaken extends Schema.TaggedError<PhoneNumberTaken>()("PhoneNumberTaken", {
  number: Schema.String
}) {
  override get message() {
    return `Cannot use the phone number ${this.number}: it is in use already`
  }
}

/** Reads a number in the form of E.164. Spaces, dots, dashes and brackets between its digits do not count. */
export const parse = (written: string): Result.Result<string, InvalidPhoneNumber> => {
  const number = written.slice(0, 64).replace(/[\s().-]/g, "")
  return /^\+[1-9]\d{6,14}$/.test(number) ? Result.succeed(number) : Result.fail(new InvalidPhoneNumber({ written }))
}

/** The store of the numbers of workspaces, in the form that `parse` gives. */
export class PhoneNumberStore extends Context.Service<
  PhoneNumberStore,
  {
    readonly of: (workspaceId: WorkspaceId) => Effect.Effect<Option.Option<string>, StoreUnavailable>
    readonly ownerOf: (number: string) => Effect.Effect<Option.Option<WorkspaceId>, StoreUnavailable>
    /** Sets the number of a workspace, or removes it with `null`. No two workspaces have the same number. */
    readonly set: (
      workspaceId: WorkspaceId,
      number: string | null
    ) => Effect.Effect<void, PhoneNumberTaken | StoreUnavailable>
    /** The workspace that was made first; none where there is none yet. */
    readonly firstWorkspace: Effect.Effect<Option.Option<WorkspaceId>, StoreUnavailable>
  }
>()("sluice/core/vault/otp/PhoneNumberStore") {}

export class PhoneNumbers extends Context.Service<
  PhoneNumbers,
  {
    /** The number for codes of a workspace by SMS; `null` where it has no number and cannot have the default one. */
    readonly phoneNumberOf: (workspaceId: WorkspaceId) => Effect.Effect<string | null, StoreUnavailable>

    /** The number of a workspace. */
    readonly ownNumberOf: (workspaceId: WorkspaceId) => Effect.Effect<string | null, StoreUnavailable>

    /** The workspace whose codes come to a number. */
    readonly workspaceOf: (number: string) => Effect.Effect<Option.Option<WorkspaceId>, StoreUnavailable>

    /** Gives a workspace its own number, from user input, or removes it with `null`. */
    readonly set: (
      acting: Permissions.Acting,
      written: string | null
    ) => Effect.Effect<void, InvalidPhoneNumber | PhoneNumberTaken | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/vault/otp/PhoneNumbers") {
  static readonly layer = Layer.effect(
    PhoneNumbers,
    Effect.gen(function* () {
      const store = yield* PhoneNumberStore
      const audit = yield* Audit
      const common = yield* DefaultPhoneNumber

      return PhoneNumbers.of({
        phoneNumberOf: Effect.fn("PhoneNumbers.phoneNumberOf")(function* (workspaceId) {
          const own = yield* store.of(workspaceId)
          if (Option.isSome(own)) return own.value
          if (common === null) return null
          return Option.getOrNull(yield* store.firstWorkspace) === workspaceId ? common : null
        }),
        ownNumberOf: (workspaceId) => Effect.map(store.of(workspaceId), Option.getOrNull),
        workspaceOf: Effect.fn("PhoneNumbers.workspaceOf")(function* (number) {
          const owner = yield* store.ownerOf(number)
          if (Option.isSome(owner) || number !== common) return owner
          const first = yield* store.firstWorkspace
          // A workspace with its own number gets no messages of the common number.
          return Option.isSome(first) && Option.isNone(yield* store.of(first.value)) ? first : Option.none()
        }),
        set: Effect.fn("PhoneNumbers.set")(function* (acting, written) {
          const number = written === null ? null : yield* Effect.fromResult(parse(written))
          if (number !== null && number === common) return yield* new PhoneNumberTaken({ number })
          const { workspaceId } = acting
          const set = Effect.tap(store.of(workspaceId), () => store.set(workspaceId, number))
          yield* audit.recording(acting, set, (before) =>
            Option.getOrNull(before) === number
              ? []
              : [
                  {
                    action: "settings.change",
                    resourceId: workspaceId,
                    before: { phone_number: Option.getOrNull(before) },
                    after: { phone_number: number }
                  }
                ]
          )
        })
      })
    }).pipe(Permissions.checked<PhoneNumbers["Service"]>({ set: "manage" }))
  )
}
