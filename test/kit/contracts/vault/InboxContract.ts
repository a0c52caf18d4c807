/**
 * The promises of every store behind the inbox of one-time codes: `ReceivedCodes` as far as messages go, `Mailboxes` on the
 * data of the store of credentials, and `PhoneNumberStore`.
 *
 * They expect stores without workspaces and messages: give each promise new stores, or empty them before.
 */
import { Effect, Option, Result } from "effect"
import { Mailboxes } from "../../../../core/vault/inbox/Mailboxes.ts"
import { type ReceivedCode, ReceivedCodes } from "../../../../core/vault/inbox/ReceivedCodes.ts"
import { PhoneNumberStore, PhoneNumberTaken } from "../../../../core/vault/otp/PhoneNumbers.ts"
import { VaultEntries } from "../../../../core/vault/VaultEntries.ts"
import { UserId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace, newId, vaultEntry, workspaceOf } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = Mailboxes | PhoneNumberStore | ReceivedCodes | VaultEntries | WorkspaceStore

const code = (
  workspaceId: WorkspaceId,
  address: string,
  receivedAt: number,
  more: Partial<ReceivedCode> = {}
): ReceivedCode => ({ id: beside(workspaceId), kind: "code", address, sealed: "00", receivedAt, ...more })

const wanted = { kind: "code", since: 0, senders: [] } as const

const number = (digits: number): string => `+1555${String(digits).padStart(7, "0")}`

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`the stores of the inbox ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("keep all that a message brought once, however often it comes", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const other = (yield* makeWorkspace()).workspaceId
      const authentication = "spf=pass dkim=fail"
      const messageId = yield* newId
      const brought = () => [
        { workspaceId, code: code(workspaceId, "a@inbox.example", 5, { authentication }) },
        { workspaceId: other, code: code(other, "b@inbox.example", 5) }
      ]
      const outcomes = yield* Effect.all(
        Array.from({ length: 6 }, () => codes.keepOnce({ id: messageId, until: 5 }, brought())),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(outcomes.filter(Boolean), 1)
      const taken = Option.getOrThrow(yield* codes.take(workspaceId, "a@inbox.example", wanted))
      assert.strictEqual(taken.authentication, authentication)
      assert.isFalse("authentication" in Option.getOrThrow(yield* codes.latest(other, "b@inbox.example", wanted)))
      assert.isFalse(yield* codes.keepOnce({ id: messageId, until: 5 }, brought()))
      assert.isTrue(Option.isNone(yield* codes.latest(workspaceId, "a@inbox.example", wanted)))
      assert.isTrue(yield* codes.keepOnce({ id: yield* newId, until: 5 }, brought()))
      const long = `${yield* newId} ${"a".repeat(300)}`
      assert.isTrue(yield* codes.keepOnce({ id: long, until: 5 }, []))
      assert.isFalse(yield* codes.keepOnce({ id: long, until: 5 }, []))
      assert.isTrue(yield* codes.keepOnce({ id: `${long}b`, until: 5 }, []))
    })
  ),
  promise("prefer what a proven sender sent to what came later from one that is not", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const arrive = (receivedAt: number, authentication?: string) =>
        codes.keep(
          workspaceId,
          code(workspaceId, "a@inbox.example", receivedAt, authentication === undefined ? {} : { authentication })
        )
      const take = (since = 0) =>
        Effect.map(codes.take(workspaceId, "a@inbox.example", { kind: "code", since, senders: [] }), (found) =>
          Option.isSome(found) ? found.value.receivedAt : null
        )
      yield* arrive(1, "spf=pass dkim=none")
      yield* arrive(2, "spf=softfail dkim=pass")
      for (const [at, verdict] of [
        "spf=fail dkim=fail",
        "spf=none dkim=none",
        "spf=temperror dkim=temperror"
      ].entries()) {
        yield* arrive(3 + at, verdict)
      }
      assert.strictEqual(yield* take(), 2)
      // Nothing of the others is left for a second try.
      assert.strictEqual(yield* take(), null)
      // Where none is proven, as with mail that is forwarded, the last one is taken.
      yield* arrive(6, "spf=fail dkim=fail")
      yield* arrive(7, "spf=softfail dkim=none")
      assert.strictEqual(yield* take(), 7)
      assert.strictEqual(yield* take(), null)
      // A proven one that is too old counts no more; a later one of another way does.
      yield* arrive(8, "spf=pass dkim=pass")
      yield* arrive(9, "spf=fail dkim=fail")
      assert.strictEqual(yield* take(9), 9)
      yield* arrive(10)
      yield* arrive(11, "spf=fail dkim=fail")
      assert.strictEqual(yield* take(), 10)
    })
  ),
  promise("prefer what an expected sender vouches for to what other senders prove, and that to the rest", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const arrive = (receivedAt: number, authentication: string) =>
        codes.keep(workspaceId, code(workspaceId, "a@inbox.example", receivedAt, { authentication }))
      const query = { ...wanted, senders: ["site.example", "login.example"] }
      const receivedAt = Effect.map(Option.map(({ receivedAt }: ReceivedCode) => receivedAt))
      const latest = Effect.map(receivedAt(codes.latest(workspaceId, "a@inbox.example", query)), Option.getOrNull)
      const take = Effect.map(receivedAt(codes.take(workspaceId, "a@inbox.example", query)), Option.getOrNull)
      yield* arrive(1, "spf=pass smtp.mailfrom=site.example dkim=none")
      yield* arrive(2, "spf=none dkim=pass header.d=other.example header.d=login.example")
      for (const [at, verdict] of [
        "spf=pass smtp.mailfrom=other.example dkim=pass header.d=other.example",
        "spf=pass dkim=pass",
        "spf=pass smtp.mailfrom=site.example.other.example dkim=none",
        "spf=fail dkim=none"
      ].entries()) {
        yield* arrive(3 + at, verdict)
      }
      assert.strictEqual(yield* latest, 2)
      assert.strictEqual(yield* take, 2)
      assert.strictEqual(yield* take, null)
      yield* arrive(7, "spf=pass smtp.mailfrom=other.example dkim=none")
      yield* arrive(8, "spf=fail dkim=none")
      assert.strictEqual(yield* take, 7)
      assert.strictEqual(yield* take, null)
    })
  ),
  promise("forget messages once their time is over, and no earlier", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const most = 1_000
      yield* codes.forgetMessages({ now: Number.MAX_SAFE_INTEGER / 2, most })
      const brought = [{ workspaceId, code: code(workspaceId, "a@inbox.example", 0) }]
      const [early, late] = [
        { id: yield* newId, until: 1_000 },
        { id: yield* newId, until: 2_000 }
      ]
      yield* codes.keepOnce(early, brought)
      yield* codes.keepOnce(late, [])
      assert.strictEqual(yield* codes.forgetMessages({ now: 2_000, most }), 1)
      assert.isFalse(yield* codes.keepOnce(late, []))
      assert.isTrue(yield* codes.keepOnce(early, []))
    })
  ),
  promise("forget beyond a number of messages those whose time is over first", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      yield* codes.forgetMessages({ now: Number.MAX_SAFE_INTEGER / 2, most: 0 })
      const messages = yield* Effect.forEach([3_000, 1_000, 4_000, 2_000], (until) =>
        Effect.map(newId, (id) => ({ id, until }))
      )
      yield* Effect.forEach(messages, (message) => codes.keepOnce(message, []))
      assert.strictEqual(yield* codes.forgetMessages({ now: 0, most: 2 }), 2)
      const again = yield* Effect.forEach(messages, (message) => codes.keepOnce(message, []))
      assert.deepStrictEqual(again, [false, true, false, true])
    })
  ),
  promise("find the workspaces of a mailbox, as long as an entry has it", () =>
    Effect.gen(function* () {
      const entries = yield* VaultEntries
      const mailboxes = yield* Mailboxes
      const store = yield* WorkspaceStore
      const ids = ["11111111", "22222222", "33333333"].map((begin) =>
        WorkspaceId.make(`${begin}-0000-4000-8000-0000deadbeef`)
      )
      const domain = "https://app.example.com"
      const userId = UserId.make(yield* newId)
      const made = yield* Effect.forEach(ids, (id) =>
        Effect.gen(function* () {
          yield* store.create(workspaceOf(id))
          const entry = vaultEntry(
            { workspaceId: id, userId },
            { tfa_method: "EMAIL" },
            { permissionedUserId: "Robot", domain }
          )
          return { entry, id, insert: entries.insert(id, entry) }
        })
      )
      const mailbox = "deadbeef+robot+app-example-com"
      const owners = Effect.map(mailboxes.ownersOf(mailbox), (found) => [...found].sort())
      assert.deepStrictEqual(yield* owners, [])
      yield* Effect.forEach(made, ({ insert }) => insert)
      assert.lengthOf(yield* owners, 2)
      for (const { entry, id } of made.slice(1)) yield* entries.remove(id, entry.id)
      assert.deepStrictEqual(yield* owners, ids.slice(0, 1))
      const [{ entry, id } = yield* Effect.die("no entry")] = made
      // A change of an entry leaves it where it is.
      yield* entries.change(id, entry.id, (before) => Result.succeed({ ...before, updatedAt: 5 }))
      assert.deepStrictEqual(yield* owners, ids.slice(0, 1))
      // Another way to write the same site is another entry with the same mailbox.
      const same = vaultEntry({ workspaceId: id, userId }, { tfa_method: "EMAIL" }, { domain: "app.example.com" })
      yield* entries.insert(id, same)
      assert.deepStrictEqual(yield* owners, ids.slice(0, 1))
      yield* entries.remove(id, entry.id)
      assert.deepStrictEqual(yield* owners, ids.slice(0, 1))
      yield* entries.remove(id, same.id)
      for (const other of [mailbox, "deadbeef+robot+app-example", "", "'; --", "+".repeat(1_000)]) {
        assert.deepStrictEqual(yield* mailboxes.ownersOf(other), [])
      }
    })
  ),
  promise("give each number to one workspace, and each workspace one number", () =>
    Effect.gen(function* () {
      const numbers = yield* PhoneNumberStore
      const workspaces = yield* Effect.forEach(Array.from({ length: 5 }), () => makeWorkspace())
      const outcomes = yield* Effect.all(
        workspaces.map(({ workspaceId }) => Effect.exit(numbers.set(workspaceId, number(1)))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        outcomes.filter(({ _tag }) => _tag === "Success"),
        1
      )
      const owner = Option.getOrThrow(yield* numbers.ownerOf(number(1)))
      const stranger = workspaces.find(({ workspaceId }) => workspaceId !== owner)?.workspaceId as WorkspaceId
      assert.deepStrictEqual(yield* numbers.of(owner), Option.some(number(1)))
      assert.isTrue(Option.isNone(yield* numbers.of(stranger)))
      assert.deepStrictEqual(
        yield* Effect.flip(numbers.set(stranger, number(1))),
        new PhoneNumberTaken({ number: number(1) })
      )
      yield* numbers.set(owner, number(1))
      yield* numbers.set(owner, number(2))
      yield* numbers.set(stranger, number(1))
      assert.deepStrictEqual(yield* numbers.ownerOf(number(1)), Option.some(stranger))
      yield* numbers.set(owner, null)
      yield* numbers.set(owner, null)
      assert.isTrue(Option.isNone(yield* numbers.ownerOf(number(2))))
    })
  ),
  promise("know which workspace was made first, before and after others are made", () =>
    Effect.gen(function* () {
      const { firstWorkspace } = yield* PhoneNumberStore
      assert.isTrue(Option.isNone(yield* firstWorkspace))
      const { workspaceId } = yield* makeWorkspace()
      assert.deepStrictEqual(yield* firstWorkspace, Option.some(workspaceId))
      const later = { ...workspaceOf(WorkspaceId.make(beside(workspaceId))), createdAt: 1 }
      yield* (yield* WorkspaceStore).create(later)
      assert.deepStrictEqual(yield* firstWorkspace, Option.some(workspaceId))
    })
  )
]
