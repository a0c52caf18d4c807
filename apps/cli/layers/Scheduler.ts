/**
 * The scheduler of a process, and the periodic jobs that run beside it.
 */
import { Effect, Layer } from "effect"
import * as Retention from "../../../core/run/artifact/Retention.ts"
import * as CanaryWatch from "../../../core/run/canary/CanaryWatch.ts"
import * as DueChecks from "../../../core/run/check/DueChecks.ts"
import * as InteractionRequest from "../../../core/run/interaction/InteractionRequest.ts"
import * as Sweep from "../../../core/run/retention/Sweep.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Periodic from "../../../core/runtime/Periodic.ts"
import * as Firing from "../../../core/schedule/Firing.ts"
import * as Receiving from "../../../core/vault/inbox/Receiving.ts"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import * as GeneratedCodes from "../../../core/vault/otp/GeneratedCodes.ts"
import * as Idempotency from "../../../core/workspace/request/Idempotency.ts"
import { installationOf, type Keeping } from "../handlers/retention/Keeping.ts"
import { layerSandbox } from "./Sandbox.ts"

/** Does a job for as long as the layer lives. */
const periodically = <R>(job: Periodic.Job<R>) => Layer.effectDiscard(Effect.forkScoped(Periodic.run(job)))

/** The scheduler, running for as long as the layer lives. */
export const layerScheduler = (keeping: Keeping) =>
  Layer.mergeAll(
    Layer.effectDiscard(Effect.forkScoped(Scheduler.run())),
    Layer.effectDiscard(Effect.forkScoped(CanaryWatch.run())),
    Layer.effectDiscard(Effect.forkScoped(Reencryption.run())),
    Layer.effectDiscard(Effect.forkScoped(Firing.run())).pipe(Layer.provide(layerSandbox)),
    periodically(DueChecks.checking).pipe(Layer.provide(layerSandbox)),
    periodically(InteractionRequest.forgetting),
    periodically(GeneratedCodes.forgetting),
    periodically(Idempotency.forgetting),
    periodically(Receiving.forgetting),
    periodically(Retention.sweeping(keeping.retentionDays)),
    periodically(Sweep.sweeping(installationOf(keeping)))
  )
