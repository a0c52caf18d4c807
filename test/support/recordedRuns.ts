/**
 * Runs that keep a replay record, in this process and in a given browser.
 */
import { Effect, Layer, Option, Redacted, type Schema, Stream } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as HttpFiles from "../../adapters/http/HttpFiles.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { DemoUser } from "../../apps/demo/DemoUsers.ts"
import type { Browser } from "../../core/browser/Browser.ts"
import * as AgentExecutor from "../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../core/run/Attempt.ts"
import { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import { EvidenceStore, replayRecordPlace } from "../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { Runs } from "../../core/run/Runs.ts"
import { Sealing } from "../../core/vault/keys/Sealing.ts"
import { Vault } from "../../core/vault/Vault.ts"
import { Workflows } from "../../core/workflow/Workflows.ts"
import { makeWorkspace } from "./fixtures.ts"

const files = HttpFiles.layer({ ...HttpFiles.defaults, allowPrivateNetworks: true })

const servicesIn = <E>(browser: Layer.Layer<Browser, E>) =>
  Layer.mergeAll(Runs.layer, Workflows.layer, Vault.layer, AgentExecutor.layer).pipe(
    Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
    Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, browser, files))
  )

export interface ToRecord {
  /** The body of the workflow; `record` is set in it. */
  readonly workflow: object
  readonly input?: Schema.JsonObject
  /** A credential `SITE` of this user, for the site with this origin. */
  readonly login?: { readonly user: DemoUser; readonly site: string }
  /** Happens after a first run, which another one follows; its record is the answer. */
  readonly between?: () => void
}

/** Runs a workflow that records, and answers the run and the text of its record; no text where it has none. */
export const recordedIn =
  <E>(browser: Layer.Layer<Browser, E>) =>
  ({ between, input = {}, login, workflow }: ToRecord) =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace("Owner")
      if (login !== undefined) {
        const cipher = yield* (yield* Sealing).cipher(caller.workspaceId)
        yield* (yield* Vault).create(caller, {
          permissioned_user_id: "robot",
          domain: login.site,
          user_name: yield* cipher.seal(Redacted.make(login.user.user)),
          password: yield* cipher.seal(Redacted.make(login.user.password)),
          ...(login.user.second?._tag === "app"
            ? { tfa_method: "AUTHENTICATOR", tfa_secret: yield* cipher.seal(Redacted.make(login.user.second.secret)) }
            : {})
        })
      }
      const saved = yield* (yield* Workflows).create(caller, { name: "Recorded", record: true, ...workflow })
      const runs = yield* Runs
      const own = login === undefined ? input : { SITE: "robot", ...input }
      const carryOut = Effect.gen(function* () {
        const { id } = yield* runs.submit(caller, { workflowId: saved.workflow.id, input: own, options: {} })
        const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        if (claimed !== undefined) yield* Attempt.carryOut(claimed)
        return id
      })
      if (between !== undefined) {
        yield* carryOut
        between()
      }
      const id = yield* carryOut
      const { run } = yield* runs.get(caller, id)
      const snapshot = yield* (yield* EvidenceStore).snapshot(id, replayRecordPlace)
      if (Option.isNone(snapshot)) return { run, text: null }
      const artifact = Option.getOrThrow(yield* (yield* ArtifactFiles).find(snapshot.value.artifactId))
      return { run, text: yield* Stream.mkString(Stream.decodeText(artifact.read())) }
    }).pipe(Effect.provide(servicesIn(browser)))
