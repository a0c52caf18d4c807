/**
 * The promises of every `SecretSource` of `SecretSources`, which asks outside stores of secrets of one type. `outside` are
 * those of a store that is asked over a network.
 *
 * The store is yours: it has the items that the promises look for.
 */
import { Clock, Context, Effect, Fiber, Redacted, type Scope } from "effect"
import {
  type Connection,
  type ProvidedSecrets,
  type SecretSource,
  SecretSources,
  type SourceError
} from "../../../../core/vault/providers/SecretSource.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** The way to one-time codes that the item `full` has. */
export const otpauth = "otpauth://totp/Site:robot?secret=JBSWY3DPEHPK3PXP"

/** An outside store. Each of its secrets contains `canary`, and so does what gives access to it. */
export interface Store {
  /** A connection with access to the store. Its name is `Safe`. */
  readonly connection: Connection
  /** The same with wrong access. */
  readonly wrong: Connection
  /**
   * The references of the items: `full` has the user name `bob`, the password `canary-full` and `otpauth`; `plain` the user
   * name `bob` and the password `canary-plain`; `empty` nothing to sign in with. There is no item `missing`.
   */
  readonly refs: Readonly<Record<"full" | "plain" | "empty" | "missing", string>>
  /** Makes the item `plain` one with this password and without a user name. */
  readonly change: (password: string) => Effect.Effect<void>
}

/** The store for the source under test. Each is a new one. */
export class SecretStore extends Context.Service<
  SecretStore,
  {
    /** The name of the type of the store in `SecretSources`. */
    readonly type: string
    readonly store: Effect.Effect<Store, never, Scope.Scope>
  }
>()("sluice/test/kit/contracts/vault/SecretSourceContract/SecretStore") {}

/** What befalls a store that is asked over a network. */
export class Outages extends Context.Service<
  Outages,
  {
    /** The store takes the next questions and never answers; `asked` ends when one has arrived. */
    readonly silent: Effect.Effect<Store & { readonly asked: Effect.Effect<void> }, never, Scope.Scope>
    /** No store is where the connection leads. */
    readonly gone: Effect.Effect<Store, never, Scope.Scope>
  }
>()("sluice/test/kit/contracts/vault/SecretSourceContract/Outages") {}

/** The source of the type that the store has. */
const sourceOf = Effect.gen(function* () {
  const { type } = yield* SecretStore
  const source = (yield* SecretSources).get(type)
  if (source === undefined) throw new assert.PromiseBroken(`expected a source of the type ${type}`)
  return source
})

const promise = <A, E>(
  title: string,
  test: (source: SecretSource, store: Store) => Effect.Effect<A, E, Scope.Scope>
): Contract.ContractPromise<SecretStore> =>
  Contract.promise(
    `a source of secrets ${title}`,
    Effect.scoped(
      Effect.gen(function* () {
        return yield* test(yield* sourceOf, yield* (yield* SecretStore).store)
      })
    )
  )

const opened = ({ oneTimeCode, password, tfaSecret, userName }: ProvidedSecrets) =>
  [userName, password, tfaSecret, oneTimeCode].map((one) => (one === null ? null : Redacted.value(one)))

const full = ["bob", "canary-full", otpauth, null]

/** Each question to a source, about one item. */
const questions = (source: SecretSource, connection: Connection, ref: string) => [
  source.check(connection),
  source.items(connection),
  source.read(connection, ref)
]

/** Expects a failure that names the connection and no secret. */
const fails = (question: Effect.Effect<unknown, SourceError>, kind: SourceError["_tag"]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(question)
    assert.strictEqual(error._tag, kind)
    assert.include(error.message, "Safe")
    for (const shown of [error.message, String(error), JSON.stringify(error)]) assert.notInclude(shown, "canary")
  })

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<SecretStore>> = [
  promise("reads what an item holds, as it is now", (source, { change, connection, refs }) =>
    Effect.gen(function* () {
      yield* source.check(connection)
      assert.deepStrictEqual(opened(yield* source.read(connection, refs.full)), full)
      assert.deepStrictEqual(opened(yield* source.read(connection, refs.plain)), ["bob", "canary-plain", null, null])
      yield* change("canary-new")
      assert.deepStrictEqual(opened(yield* source.read(connection, refs.plain)), [null, "canary-new", null, null])
    })
  ),
  promise("lists items by references that read them, and no secret", (source, { connection }) =>
    Effect.gen(function* () {
      const items = yield* source.items(connection)
      assert.strictEqual(new Set(items.map(({ id }) => id)).size, items.length)
      assert.notInclude(JSON.stringify(items), "canary")
      const read = yield* Effect.forEach(items, ({ ref }) => Effect.option(source.read(connection, ref)))
      const passwords = read.map((one) => (one._tag === "Some" ? opened(one.value)[1] : null))
      assert.lengthOf(items, 3)
      assert.includeMembers(passwords, ["canary-full", "canary-plain"])
    })
  ),
  promise("distinguishes a missing item from an unusable one, and repeats no secret", (source, { connection, refs }) =>
    Effect.gen(function* () {
      for (const ref of [refs.missing, "../", "", "\u0000", "x".repeat(5_000)]) {
        yield* fails(source.read(connection, ref), "ItemNotFound")
      }
      yield* fails(source.read(connection, refs.empty), "ItemIncomplete")
    })
  ),
  promise("says when the access is refused, whatever is asked", (source, { connection, refs, wrong }) =>
    Effect.gen(function* () {
      for (const question of questions(source, wrong, refs.full)) yield* fails(question, "AccessRefused")
      // What another connection was refused says nothing about this one.
      assert.deepStrictEqual(opened(yield* source.read(connection, refs.full)), full)
      for (const question of questions(source, wrong, refs.full)) yield* fails(question, "AccessRefused")
    })
  ),
  promise("answers many questions at once, each its own", (source, { connection, refs, wrong }) =>
    Effect.gen(function* () {
      const asked = Array.from({ length: 12 }, (_, index) => index)
      const answered = yield* Effect.forEach(
        asked,
        (index) =>
          source.read(index % 3 === 2 ? wrong : connection, index % 3 === 1 ? refs.plain : refs.full).pipe(
            Effect.map((found) => opened(found)[1]),
            Effect.catch(({ _tag }) => Effect.succeed(_tag))
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answered,
        asked.map((index) => ["canary-full", "canary-plain", "AccessRefused"][index % 3])
      )
    })
  ),
  promise("keeps what it reads from being shown", (source, { connection, refs }) =>
    Effect.gen(function* () {
      const read = yield* source.read(connection, refs.full)
      for (const shown of [String(read), JSON.stringify(read), String(read.password)]) {
        assert.notInclude(shown, "canary")
        assert.notInclude(shown, "JBSWY3DPEHPK3PXP")
      }
    })
  )
]

/** How long a question may take, in milliseconds. */
const longest = 10_000

/** What an implementation promises besides that asks a store over a network. */
export const outside: ReadonlyArray<Contract.ContractPromise<Outages | SecretStore>> = [
  Contract.promise(
    "a source of secrets says that a store cannot be reached",
    Effect.scoped(
      Effect.gen(function* () {
        const source = yield* sourceOf
        const { connection, refs } = yield* (yield* Outages).gone
        for (const question of questions(source, connection, refs.full)) yield* fails(question, "SourceUnavailable")
      })
    )
  ),
  Contract.promise(
    "a source of secrets waits 10 seconds at most for a store",
    Effect.scoped(
      Effect.gen(function* () {
        const source = yield* sourceOf
        const time = SteppingClock.make(0)
        const { asked, connection, refs } = yield* (yield* Outages).silent
        const asking = yield* Effect.forkScoped(
          fails(source.read(connection, refs.full), "SourceUnavailable").pipe(
            Effect.provideService(Clock.Clock, time.clock)
          )
        )
        yield* asked
        yield* time.advance(longest)
        yield* Contract.ends(`a question of ${longest} ms`, Fiber.join(asking))
      })
    )
  ),
  Contract.promise(
    "a source of secrets ends promptly when it is interrupted",
    Effect.scoped(
      Effect.gen(function* () {
        const source = yield* sourceOf
        const { asked, connection, refs } = yield* (yield* Outages).silent
        const asking = yield* Effect.forkDetach(source.read(connection, refs.full))
        yield* asked
        const ending = yield* Effect.forkDetach(Fiber.interrupt(asking))
        yield* Contract.ends("a question that was interrupted", Fiber.join(ending))
      })
    )
  )
]
