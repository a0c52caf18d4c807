/**
 * The promises of every store of the bytes of artifacts: `ArtifactFiles`.
 */
import { Clock, Effect, Option, Stream } from "effect"
import { ArtifactFiles, type Range, type StoredArtifact } from "../../../../core/run/artifact/ArtifactFiles.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { newId } from "../Fixtures.ts"

const jpeg = { mediaType: "image/jpeg", fileName: null }
const readAll = (kept: StoredArtifact, range?: Range) => Stream.mkUint8Array(kept.read(range))
const found = (id: string) => Effect.flatMap(ArtifactFiles, (files) => Effect.map(files.find(id), Option.getOrThrow))

/** Bytes in no order, the same each time. */
const bytesOf = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, ArtifactFiles>) =>
  Contract.promise(`artifacts ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<ArtifactFiles>> = [
  promise("are kept with what they are, and read back whole or in part", () =>
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const id = yield* newId
      const bytes = bytesOf(300_000)
      const fileName = 'Bericht "März" 報告 \u202e%20;\n.pdf'
      yield* files.put(id, { mediaType: "application/pdf", fileName, bytes })
      const kept = yield* found(id)
      assert.deepInclude(kept, { mediaType: "application/pdf", fileName, size: bytes.length })
      assert.deepStrictEqual(yield* readAll(kept), bytes)
      assert.deepStrictEqual(yield* readAll(kept, { start: 0, end: 1 }), bytes.slice(0, 2))
      assert.deepStrictEqual(yield* readAll(kept, { start: 270_000, end: 299_999 }), bytes.slice(270_000))
      assert.deepStrictEqual(yield* readAll(kept, { start: 5, end: 280_000 }), bytes.slice(5, 280_001))
    })
  ),
  promise("of no bytes are kept too", () =>
    Effect.gen(function* () {
      const id = yield* newId
      yield* (yield* ArtifactFiles).put(id, { ...jpeg, bytes: new Uint8Array() })
      const kept = yield* found(id)
      assert.strictEqual(kept.size, 0)
      assert.strictEqual((yield* readAll(kept)).length, 0)
    })
  ),
  promise("take the place of the one before, and are gone once removed", () =>
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const [id, other] = [yield* newId, yield* newId]
      yield* files.put(id, { ...jpeg, bytes: new Uint8Array([1, 2, 3]) })
      yield* files.put(id, { mediaType: "text/html", fileName: null, bytes: new Uint8Array([4]) })
      yield* files.put(other, { ...jpeg, bytes: new Uint8Array([5]) })
      const kept = yield* found(id)
      assert.strictEqual(kept.mediaType, "text/html")
      assert.deepStrictEqual(yield* readAll(kept), new Uint8Array([4]))
      yield* files.remove([id, yield* newId, "../etc/passwd", id])
      assert.isTrue(Option.isNone(yield* files.find(id)))
      assert.deepStrictEqual(yield* readAll(yield* found(other)), new Uint8Array([5]))
    })
  ),
  promise("are not found by what is no id", () =>
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      for (const id of ["", "..", "../artifacts", (yield* newId).toUpperCase(), `${yield* newId}/`, yield* newId]) {
        assert.isTrue(Option.isNone(yield* files.find(id)), id)
      }
    })
  ),
  promise("larger than what is held at once go there in pieces of any size", () =>
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const id = yield* newId
      const piece = bytesOf(1_000_003)
      const size = yield* files.putStream(id, jpeg, Stream.fromArray(Array.from({ length: 20 }, () => piece)))
      assert.strictEqual(size, 20 * piece.length)
      const kept = yield* found(id)
      assert.strictEqual(kept.size, size)
      const last = yield* readAll(kept, { start: size - piece.length, end: size - 1 })
      assert.isTrue(last.every((byte, index) => byte === piece[index]))
      let read = 0
      yield* Stream.runForEach(kept.read(), (some) =>
        Effect.sync(() => {
          read += some.length
        })
      )
      assert.strictEqual(read, size)
    })
  ),
  promise("exactly as large as what is held at once are kept as well", () =>
    Effect.gen(function* () {
      const id = yield* newId
      const bytes = new Uint8Array(8 * 1_024 * 1_024).fill(7)
      yield* (yield* ArtifactFiles).put(id, { ...jpeg, bytes })
      assert.strictEqual((yield* found(id)).size, bytes.length)
    })
  ),
  promise("whose content fails leave nothing, and the one before stays", () =>
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const [id, fresh] = [yield* newId, yield* newId]
      yield* files.put(id, { ...jpeg, bytes: new Uint8Array([1]) })
      const broken = Stream.concat(Stream.make(new Uint8Array(9_000_000)), Stream.fail("broken off" as const))
      assert.strictEqual(yield* Effect.flip(files.putStream(id, jpeg, broken)), "broken off")
      assert.strictEqual(yield* Effect.flip(files.putStream(fresh, jpeg, broken)), "broken off")
      assert.deepStrictEqual(yield* readAll(yield* found(id)), new Uint8Array([1]))
      assert.isTrue(Option.isNone(yield* files.find(fresh)))
      yield* files.sweep((yield* Clock.currentTimeMillis) + 1_000)
      assert.deepStrictEqual(yield* readAll(yield* found(id)), new Uint8Array([1]))
    })
  )
]
