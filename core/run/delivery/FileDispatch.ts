/**
 * Makes deliveries of the files of runs that end, and carries them out.
 *
 * Any number of processes may do this at once. The end of a run is made into deliveries exactly once; each is attempted at
 * least once, also when processes die, and a file that is there already is not sent again. Nothing here changes a run.
 */
import { Clock, Duration, Effect, Option, Random, Redacted, Schema } from "effect"
import * as FileNames from "../../browser/file/FileNames.ts"
import { consumers, type Entry, EventLog } from "../../event/EventLog.ts"
import { type EndEvent, fileOf, isLast, type RunFile } from "../../event/RunEvent.ts"
import * as Background from "../../runtime/Background.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Wake from "../../runtime/Wake.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import * as FilePath from "../../workflow/FilePath.ts"
import type { WorkflowVersion } from "../../workflow/Workflow.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { RunId } from "../../workspace/Ids.ts"
import { ArtifactFiles } from "../artifact/ArtifactFiles.ts"
import type { Run } from "../Run.ts"
import { RunStore } from "../RunStore.ts"
import { FileDeliveries } from "./FileDeliveries.ts"
import * as FileDelivery from "./FileDelivery.ts"
import { Access, type FileDestination, FileDestinationStore } from "./FileDestination.ts"
import { FileSink, type PutOutcome, type SentFile } from "./FileSink.ts"

/** How many events one transaction reads. */
const batch = 200

/** How many files a process sends at once. */
const workers = 2

/** After so long another process may take a delivery whose attempt has no result, in milliseconds. */
const attemptMillis = 600_000

/** Makes deliveries of the files of runs that have ended. Answers whether there is more. */
export const collect = Effect.fn("FileDispatch.collect")(function* () {
  const log = yield* EventLog
  const deliveries = yield* FileDeliveries
  return yield* log.consume(consumers.files, batch, (entries) =>
    Effect.gen(function* () {
      for (const entry of entries) {
        const { event } = entry
        if (!isLast(event) || event.files.length === 0) continue
        const made = yield* deliveriesOf(entry, event)
        if (made.length > 0) yield* deliveries.append(made)
      }
    })
  )
})

const deliveriesOf = Effect.fnUntraced(
  function* (entry: Entry, event: EndEvent) {
    const identifiers = yield* Identifiers
    const { run } = yield* (yield* RunStore).get(entry.workspaceId, RunId.make(entry.runId))
    const version = yield* versionOf(run)
    const { file_destination: destination, file_path: path = FilePath.standard } = version?.content.settings ?? {}
    if (version === null || destination === undefined) return []
    const files = event.leftOut?.includes("files") ? yield* allFiles(run.id) : event.files
    return yield* Effect.forEach(files, (file) =>
      Effect.map(
        identifiers.uuid,
        (id): FileDelivery.FileDelivery => ({
          id,
          workspaceId: run.workspaceId,
          workflowId: run.workflowId,
          runId: run.id,
          destination,
          file: { id: file.id, name: file.name },
          path: pathOf(path, run, version, file, entry.at),
          sha256: null,
          bytes: null,
          status: "pending",
          attempts: 0,
          nextAttemptAt: entry.at,
          errors: [],
          createdAt: entry.at,
          deliveredAt: null
        })
      )
    )
  },
  // A run or a workflow that was removed meanwhile sends nothing.
  Effect.catchTags({ RunNotFound: () => Effect.succeed([]), WorkflowNotFound: () => Effect.succeed([]) })
)

const versionOf = Effect.fnUntraced(function* ({ versionId, workflowId, workspaceId }: Run) {
  const workflows = yield* WorkflowStore
  const latest = yield* workflows.get(workspaceId, workflowId)
  if (latest.version.versionId === versionId) return latest.version
  const versions = yield* workflows.versions(workspaceId, workflowId)
  const own = versions.find((one) => one.versionId === versionId)
  return own === undefined ? null : (yield* workflows.version(workspaceId, workflowId, own.versionNumber)).version
})

/** The files of a run, from its events: the event of its end has no room for all of them. */
const allFiles = Effect.fnUntraced(function* (
  id: RunId
): Effect.fn.Return<ReadonlyArray<RunFile>, StoreUnavailable, RunStore> {
  const runs = yield* RunStore
  const files: Array<RunFile> = []
  for (let events = yield* runs.events(id, 0); events.length > 0; ) {
    files.push(...events.flatMap(({ event }) => fileOf(event)))
    events = yield* runs.events(id, events.at(-1)?.sequence ?? 0)
  }
  return files
})

const pathOf = (path: string, run: Run, version: WorkflowVersion, file: RunFile, at: number): string =>
  FilePath.fill(path, {
    "workflow.name": FileNames.safe(version.name.replaceAll(/[/\\]/g, " "), "workflow"),
    "workflow.id": run.workflowId,
    "run.id": run.id,
    "run.date": new Date(at).toISOString().slice(0, 10),
    "file.name": FileNames.safe(file.name),
    "file.id": file.id
  })

/** Attempts the next due delivery. Answers whether there was one. */
export const deliverNext = Effect.fn("FileDispatch.deliverNext")(function* () {
  const deliveries = yield* FileDeliveries
  const now = yield* Clock.currentTimeMillis
  const taken = yield* deliveries.take(now, now + attemptMillis)
  if (Option.isNone(taken)) return false
  const after = yield* attempt(taken.value.delivery)
  yield* deliveries.settle(taken.value, after)
  yield* log(after)
  return true
})

const attempt = Effect.fnUntraced(
  function* (before: FileDelivery.FileDelivery) {
    const destination = yield* (yield* FileDestinationStore).find(before.workspaceId, before.destination)
    const failed = (reason: string) =>
      Effect.map(Clock.currentTimeMillis, (at) => FileDelivery.failed(before, reason, at))
    if (Option.isNone(destination))
      return yield* failed(`The workspace has no file destination "${before.destination}"`)
    const content = yield* contentOf(before)
    if (content === null) return yield* failed("The file was removed before it could be delivered")
    if (before.sha256 !== null && before.sha256 !== content.sha256) {
      return yield* failed(`The kept file is not the one with the SHA-256 ${before.sha256}`)
    }
    const read = { ...before, sha256: content.sha256, bytes: content.size }
    const { outcome, path } = yield* put(destination.value, before, content)
    return FileDelivery.attempted({ ...read, path }, outcome, yield* Clock.currentTimeMillis, yield* Random.next)
  },
  (effect, before) =>
    Effect.catchTag(effect, "ArtifactsUnavailable", ({ message }) =>
      Effect.gen(function* () {
        const outcome: PutOutcome = { _tag: "Failed", reason: message, retryAfterMillis: null }
        return FileDelivery.attempted(before, outcome, yield* Clock.currentTimeMillis, yield* Random.next)
      })
    )
)

/** Puts a file at its path; where other content has that, under a name that has the beginning of its hash, if it may. */
const put = Effect.fnUntraced(function* (
  destination: FileDestination,
  { path, workspaceId }: FileDelivery.FileDelivery,
  content: Omit<SentFile, "path">
) {
  const sink = yield* FileSink
  const access = yield* accessOf(workspaceId, destination)
  if (access === null) {
    const reason = "The access of the destination cannot be unsealed. Set it again"
    return { path, outcome: { _tag: "Refused", reason } satisfies PutOutcome }
  }
  const { hostKey, type, url } = destination
  const open = { type, url, access, ...(hostKey === undefined ? {} : { hostKey }) }
  const outcome = yield* sink.put(open, { ...content, path })
  if (outcome._tag !== "Taken" || destination.onConflict === "fail") return { path, outcome }
  const other = FilePath.marked(path, content.sha256.slice(0, 8))
  const second = yield* sink.put(open, { ...content, path: other })
  return { path: second._tag === "Stored" ? other : path, outcome: second }
})

const readAccess = Schema.decodeUnknownOption(Access)

const accessOf = Effect.fnUntraced(function* (
  workspaceId: FileDelivery.FileDelivery["workspaceId"],
  { sealedAccess }: FileDestination
) {
  if (sealedAccess === null) return Redacted.make<Access>({})
  const opened = yield* (yield* Sealing).unseal(workspaceId, sealedAccess).pipe(
    Effect.map(Option.some),
    Effect.catchTag("CannotUnseal", () => Effect.succeed(Option.none()))
  )
  return Option.match(
    Option.flatMap(opened, (value) => readAccess(Redacted.value(value))),
    {
      onNone: () => null,
      onSome: (access) => Redacted.make(access)
    }
  )
})

/** What is kept of a file, with its hash, for which it is read once; `null` when it is gone. */
const contentOf = Effect.fnUntraced(function* ({ file }: FileDelivery.FileDelivery) {
  const found = yield* (yield* ArtifactFiles).find(file.id)
  if (Option.isNone(found)) return null
  const { mediaType, read, size } = found.value
  return { mediaType, size, read: () => read(), sha256: yield* (yield* FileSink).sha256(read()) }
})

/** A line about a delivery. The address of the destination is not in it, as it may hold a secret. */
const log = (delivery: FileDelivery.FileDelivery): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo(messages[delivery.status]), {
    file_delivery_id: delivery.id,
    session_id: delivery.runId,
    workflow_id: delivery.workflowId,
    workspace_id: delivery.workspaceId,
    delivery_attempt: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt
  })

const messages: Readonly<Record<FileDelivery.FileDeliveryStatus, string>> = {
  delivered: "File delivered",
  pending: "File delivery failed and is tried again",
  failed: "File delivery given up"
}

/** Works until interrupted. Deliveries in progress then pass to another process. */
export const run = Effect.fn("FileDispatch.run")(function* () {
  const events = yield* Wake.onSignal((signal) => signal._tag === "events")
  const due = yield* Wake.make

  const collecting = Effect.gen(function* () {
    while (yield* collect());
    yield* due.wake
    yield* events.sleep(Wake.longestSleep)
  }).pipe(Background.round("make deliveries of the files of runs"), Effect.forever)

  const delivering = Effect.gen(function* () {
    while (yield* deliverNext());
    const next = yield* (yield* FileDeliveries).nextDue
    const left = next === null ? Infinity : next - (yield* Clock.currentTimeMillis)
    yield* due.sleep(Math.min(Duration.toMillis(Wake.longestSleep), Math.max(left, 0)))
  }).pipe(Background.round("deliver a file of a run"), Effect.forever)

  return yield* Effect.all([collecting, ...Array.from({ length: workers }, () => delivering)], {
    concurrency: "unbounded",
    discard: true
  })
}, Effect.scoped)
