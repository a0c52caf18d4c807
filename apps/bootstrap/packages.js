// @ts-check
/**
 * The published packages: their names, entries and files. The version and the versions of dependencies are those of the
 * checkout's `package.json`; the imports of a package's files decide which dependencies it has.
 *
 * This is the only list of entries: the build makes the manifests of the packages from it, and `node
 * apps/bootstrap/writeEntries.js` the `exports` of the checkout in `package.json` and `deno.json`.
 */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { root } from "./run.js"

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} folder Its folder in `dist`.
 * @property {string} description
 * @property {string} readme
 * @property {Readonly<Record<string, string>>} entries Files of the checkout, by the subpath of `exports`.
 * @property {ReadonlyArray<string>} peers Packages that the installing program provides, so that there is one copy.
 * @property {Readonly<Record<string, string>>} bin Programs, by their name.
 * @property {string | null} on The package whose modules it imports by their names there, in place of bringing copies. The
 *   sources of that package lie in a folder that has the name of its folder in `dist`.
 * @property {"client" | "plain" | "programs" | null} bundled What is bundled: each entry, without what only the service
 *   needs, or without Effect; or the programs, so that they start fast.
 */

const core = {
  ".": "core/Core.ts",
  "./agent": "core/agent/Agent.ts",
  "./agent/budget": "core/agent/model/Budget.ts",
  "./agent/captcha": "core/agent/action/CaptchaSolver.ts",
  "./agent/limits": "core/agent/Limits.ts",
  "./agent/memory": "core/agent/recovery/ElementMemory.ts",
  "./agent/model": "core/agent/model/Model.ts",
  "./agent/spending": "core/agent/spending/SpendLedger.ts",
  "./agent/spending/limits": "core/agent/spending/ModelSpending.ts",
  "./browser": "core/browser/Browser.ts",
  "./browser/files": "core/browser/file/FileSource.ts",
  "./browser/session": "core/browser/Session.ts",
  "./builder/store": "core/builder/BuilderStore.ts",
  "./event/alerts": "core/event/alert/Alerts.ts",
  "./event/alerts/mail": "core/event/alert/MailTransport.ts",
  "./event/alerts/receivers": "core/event/alert/AlertReceiver.ts",
  "./event/deliveries": "core/event/webhook/Deliveries.ts",
  "./event/log": "core/event/EventLog.ts",
  "./event/secrets": "core/event/webhook/WebhookSecrets.ts",
  "./event/sender": "core/event/webhook/Sender.ts",
  "./event/subscriptions": "core/event/notification/KeptSubscription.ts",
  "./event/webhooks": "core/event/webhook/Webhook.ts",
  "./execution": "core/execution/AgentExecutor.ts",
  "./execution/live/channel": "core/execution/live/LiveChannel.ts",
  "./execution/live/store": "core/execution/live/LiveStore.ts",
  "./execution/replay": "core/execution/replay/ReplayRecord.ts",
  "./gate": "core/gate/Gate.ts",
  "./gate/store": "core/gate/GateStore.ts",
  "./gate/workers": "core/gate/WorkerCapacity.ts",
  "./gate/zones": "core/gate/ZoneData.ts",
  "./gates": "core/gate/Gates.ts",
  "./memory": "adapters/memory/Memory.ts",
  "./memory/secrets": "adapters/memory/vault/MemorySecretSource.ts",
  "./run": "core/run/Run.ts",
  "./run/artifacts": "core/run/artifact/ArtifactFiles.ts",
  "./run/artifacts/links": "core/run/artifact/ArtifactLinks.ts",
  "./run/artifacts/storage": "core/run/artifact/WorkspaceStorage.ts",
  "./run/artifacts/store": "core/run/artifact/ArtifactStore.ts",
  "./run/browsers": "core/run/BrowserCapacity.ts",
  "./run/decisions": "core/run/evidence/DecisionStore.ts",
  "./run/deliveries": "core/run/delivery/FileDeliveries.ts",
  "./run/destinations": "core/run/delivery/FileDestination.ts",
  "./run/errors": "core/run/evidence/ErrorReports.ts",
  "./run/evidence": "core/run/evidence/EvidenceStore.ts",
  "./run/evidence/signer": "core/run/evidence/BundleSigner.ts",
  "./run/executor": "core/run/Executor.ts",
  "./run/interactions": "core/run/interaction/InteractionStore.ts",
  "./run/limits": "core/run/limit/NamedLimit.ts",
  "./run/removal": "core/run/retention/RunRemovalStore.ts",
  "./run/retention": "core/run/retention/RetentionStore.ts",
  "./run/sink": "core/run/delivery/FileSink.ts",
  "./run/starts": "core/run/start/StartLedger.ts",
  "./run/store": "core/run/RunStore.ts",
  "./runs": "core/run/Runs.ts",
  "./schedule": "core/schedule/ScheduleTiming.ts",
  "./schedule/store": "core/schedule/ScheduleStore.ts",
  "./scheduler": "core/run/Scheduler.ts",
  "./settings": "core/runtime/SettingNames.ts",
  "./signals": "core/runtime/Signals.ts",
  "./skew": "core/runtime/ClockSkew.ts",
  "./trace": "core/runtime/Trace.ts",
  "./vault": "core/vault/Vault.ts",
  "./vault/codes": "core/vault/inbox/ReceivedCodes.ts",
  "./vault/encryption": "core/vault/keys/EncryptionKeys.ts",
  "./vault/entries": "core/vault/VaultEntries.ts",
  "./vault/fingerprints": "core/vault/keys/Fingerprints.ts",
  "./vault/inbox": "core/vault/inbox/Inbox.ts",
  "./vault/installation": "core/vault/keys/InstallationKey.ts",
  "./vault/keys": "core/vault/keys/WrappedKeys.ts",
  "./vault/mailboxes": "core/vault/inbox/Mailboxes.ts",
  "./vault/numbers": "core/vault/otp/PhoneNumbers.ts",
  "./vault/providers": "core/vault/providers/SecretProviders.ts",
  "./vault/proxies": "core/vault/Proxies.ts",
  "./vault/reencryption": "core/vault/keys/Reencryption.ts",
  "./vault/sealed": "core/vault/keys/ReencryptionTargets.ts",
  "./vault/sealing": "core/vault/keys/Sealing.ts",
  "./vault/sources": "core/vault/providers/SecretSource.ts",
  "./vault/steps": "core/vault/otp/TimeSteps.ts",
  "./window": "core/window/RunWindow.ts",
  "./window/icalendar": "core/window/exchange/ICalendar.ts",
  "./window/temporal": "core/window/exchange/WindowTemporal.ts",
  "./window/text": "core/window/exchange/WindowText.ts",
  "./worker": "core/run/Worker.ts",
  "./workflow": "core/workflow/Workflow.ts",
  "./workflow/canaries": "core/run/canary/CanaryStore.ts",
  "./workflow/canary": "core/workflow/canary/Canary.ts",
  "./workflow/code": "core/workflow/code/WorkflowCode.ts",
  "./workflow/components": "core/workflow/component/ComponentStore.ts",
  "./workflow/models": "core/workflow/ModelAvailability.ts",
  "./workflow/patches": "core/workflow/patch/PatchStore.ts",
  "./workflow/sandbox": "core/workflow/sandbox/Sandbox.ts",
  "./workflow/store": "core/workflow/WorkflowStore.ts",
  "./workflows": "core/workflow/Workflows.ts",
  "./workspace": "core/workspace/Workspace.ts",
  "./workspace/audit": "core/workspace/audit/Audit.ts",
  "./workspace/collection": "core/workspace/Collection.ts",
  "./workspace/errors": "core/workspace/ErrorCodes.ts",
  "./workspace/idempotency": "core/workspace/request/Idempotency.ts",
  "./workspace/identifiers": "core/workspace/Identifiers.ts",
  "./workspace/ids": "core/workspace/Ids.ts",
  "./workspace/invitations": "core/workspace/invitation/Invitations.ts",
  "./workspace/keys": "core/workspace/Keys.ts",
  "./workspace/retention": "core/workspace/retention/RetentionDays.ts",
  "./workspace/shares": "core/workspace/request/WorkspaceShares.ts",
  "./workspace/signins": "core/workspace/signin/SignInStore.ts",
  "./workspace/store": "core/workspace/WorkspaceStore.ts"
}

const testing = {
  ".": "test/kit/windows/WindowGenerators.ts",
  "./alerts": "test/kit/contracts/event/AlertContract.ts",
  "./apikeys": "test/kit/contracts/crypto/ApiKeyContract.ts",
  "./artifacts": "test/kit/contracts/run/ArtifactContract.ts",
  "./artifacts/store": "test/kit/contracts/run/ArtifactRecordContract.ts",
  "./audit": "test/kit/contracts/workspace/AuditContract.ts",
  "./browser": "test/kit/browser/ScriptedBrowser.ts",
  "./browser/contract": "test/kit/contracts/browser/BrowserContract.ts",
  "./browser/pages": "test/kit/contracts/browser/BrowserPages.ts",
  "./builder": "test/kit/contracts/workspace/ConversationContract.ts",
  "./canaries": "test/kit/contracts/run/CanaryContract.ts",
  "./captcha": "test/kit/contracts/agent/CaptchaContract.ts",
  "./clock": "test/kit/clocks/SteppingClock.ts",
  "./clock/contract": "test/kit/contracts/runtime/ClockContract.ts",
  "./collections": "test/kit/contracts/workspace/CollectionContract.ts",
  "./components": "test/kit/contracts/workflow/ComponentContract.ts",
  "./contract": "test/kit/contracts/Contract.ts",
  "./decisions": "test/kit/contracts/run/DecisionContract.ts",
  "./deliveries": "test/kit/contracts/event/DeliveryContract.ts",
  "./events": "test/kit/contracts/event/EventLogContract.ts",
  "./evidence": "test/kit/contracts/run/EvidenceContract.ts",
  "./executor": "test/kit/contracts/run/ExecutorContract.ts",
  "./files": "test/kit/contracts/browser/FileContract.ts",
  "./files/deliveries": "test/kit/contracts/run/FileDeliveryContract.ts",
  "./files/sink": "test/kit/contracts/run/FileSinkContract.ts",
  "./findings": "test/kit/contracts/workflow/FindingsContract.ts",
  "./fingerprints": "test/kit/contracts/crypto/FingerprintContract.ts",
  "./holds": "test/kit/contracts/start/HoldContract.ts",
  "./idempotency": "test/kit/contracts/workspace/IdempotencyContract.ts",
  "./identifiers": "test/kit/contracts/crypto/IdentifierContract.ts",
  "./inbox": "test/kit/contracts/vault/InboxContract.ts",
  "./installations": "test/kit/contracts/crypto/Processes.ts",
  "./interactions": "test/kit/contracts/run/InteractionContract.ts",
  "./limits": "test/kit/contracts/start/LimitContract.ts",
  "./links": "test/kit/contracts/crypto/LinkContract.ts",
  "./live": "test/kit/contracts/run/LiveContract.ts",
  "./logins": "test/kit/contracts/start/LoginContract.ts",
  "./model": "test/kit/contracts/agent/ModelContract.ts",
  "./paces": "test/kit/contracts/start/PaceContract.ts",
  "./recorder": "test/kit/contracts/runtime/RecorderContract.ts",
  "./reference": "test/kit/windows/ReferenceWindow.ts",
  "./removal": "test/kit/contracts/run/RemovalContract.ts",
  "./sandbox": "test/kit/contracts/workflow/SandboxContract.ts",
  "./schedules": "test/kit/contracts/run/ScheduleContract.ts",
  "./sealed": "test/kit/contracts/vault/SealedContract.ts",
  "./sealing": "test/kit/contracts/crypto/SealingContract.ts",
  "./secrets": "test/kit/contracts/crypto/WebhookSecretContract.ts",
  "./sender": "test/kit/contracts/event/SenderContract.ts",
  "./signals": "test/kit/contracts/runtime/SignalsContract.ts",
  "./signer": "test/kit/contracts/crypto/BundleSignerContract.ts",
  "./signins": "test/kit/contracts/workspace/SignInContract.ts",
  "./simulation": "test/kit/simulation/Simulation.ts",
  "./sources": "test/kit/contracts/vault/SecretSourceContract.ts",
  "./spending": "test/kit/contracts/run/SpendContract.ts",
  "./starts": "test/kit/contracts/run/StartContract.ts",
  "./steps": "test/kit/contracts/vault/TimeStepContract.ts",
  "./stores": "test/kit/contracts/run/StoreContract.ts",
  "./vault": "test/kit/contracts/vault/VaultContract.ts",
  "./weeks": "test/kit/simulation/Weeks.ts",
  "./workflow": "test/kit/WorkflowTrial.ts",
  "./workspaces": "test/kit/contracts/workspace/WorkspaceContract.ts",
  "./wrapping": "test/kit/contracts/crypto/WrappingContract.ts"
}

const client = {
  ".": "apps/api/Client.ts",
  "./promise": "apps/api/PromiseClient.ts",
  "./sealing": "adapters/crypto/VaultValues.ts"
}

const conformance = { ".": "test/kit/conformance/Conformance.ts" }

/** @type {ReadonlyArray<Package>} */
export const packages = [
  {
    name: "@sluice/core",
    folder: "core",
    description: "Run windows, gates, runs, workflows and the agent of Sluice, for Effect programs",
    readme:
      "Run windows, gates, runs, workflows and the agent of Sluice, with the scheduler and the worker over ports, and every store in memory.\n\n```sh\nnpm install @sluice/core effect\n```\n\n`@sluice/core` has all modules by their names; those that programs use most are entries of their own, such as `@sluice/core/window`. No module reads a clock: instants are arguments, or come from the `Clock` of Effect. Entries below `@sluice/core/internal` are for `@sluice/testing` alone and may change in any version.",
    entries: core,
    peers: ["effect"],
    bin: {},
    on: null,
    bundled: null
  },
  {
    name: "@sluice/window",
    folder: "window",
    description: "Run windows: weekly hours, special dates and holidays in one time zone, without dependencies",
    readme:
      'Weekly hours, special dates and recurring closings in the wall-clock time of one zone: is it open, when does it open next, and what does it say in words. Plain TypeScript without dependencies, for Node, Deno, Bun and browsers.\n\n```sh\nnpm install @sluice/window\n```\n\n```ts\nimport { isOpen, next, openings, parse, toText } from "@sluice/window"\n\nconst office = parse({\n  time_zone: "Europe/Berlin",\n  regular_hours: [{\n    active_start_day: "MONDAY", active_start_time: { hours: 9 },\n    active_end_day: "MONDAY", active_end_time: { hours: 17 }\n  }],\n  special_hours: [{\n    active: false, recurrence: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",\n    recurrence_start: { year: 2026, month: 12, day: 25 }\n  }]\n})\n\nisOpen(office, new Date()) // a Date, or epoch milliseconds\nnext(office, new Date()) // the Date at which it opens next, or null\nopenings(office, Date.now(), 5) // the next five, each with opensAt and closesAt\ntoText(office) // "Mon 09:00–17:00, closed on 25 December"\n```\n\n`parse` throws an `InvalidWindow`, which lists every problem at its path. It is the code of `@sluice/core/window`, so that both give the same answers.',
    entries: { ".": "core/window/PlainWindow.ts" },
    peers: [],
    bin: {},
    on: null,
    bundled: "plain"
  },
  {
    name: "@sluice/testing",
    folder: "testing",
    description:
      "The promises of the ports of Sluice, as tests of your own stores, with a browser, clocks and windows for tests",
    readme:
      "What tests the parts that a program gives to `@sluice/core`: a contract for each port, a browser in memory, clocks that a test moves, generated windows, and simulated weeks.\n\n```sh\nnpm install --save-dev @sluice/testing\n```\n\nIt needs `@sluice/core` of the same version.",
    entries: testing,
    peers: ["@sluice/core", "effect"],
    bin: {},
    on: "@sluice/core",
    bundled: null
  },
  {
    name: "@sluice/client",
    folder: "client",
    description: "The typed client of Sluice, with Effect or with promises",
    readme:
      "The typed client of Sluice: `@sluice/client` for Effect programs, `@sluice/client/promise` for all others.\n\n```sh\nnpm install @sluice/client effect\n```",
    entries: client,
    peers: ["effect"],
    bin: {},
    on: null,
    bundled: "client"
  },
  {
    name: "@sluice/conformance",
    folder: "conformance",
    description: "Asks a server whether it speaks the interface of Sluice, scenario by scenario",
    readme:
      "Asks a server whether it speaks the interface of Sluice, scenario by scenario.\n\n```sh\nnpx @sluice/conformance --url http://127.0.0.1:8787 --key sk_...\n```",
    entries: conformance,
    peers: [],
    bin: { "sluice-conformance": "test/kit/conformance/main.ts" },
    on: null,
    bundled: null
  },
  {
    name: "sluice",
    folder: "sluice",
    description: "Runs browser-automation workflows, and starts them only within their run windows",
    readme: "The service and its command line.\n\n```sh\nnpx sluice up\n```",
    entries: {},
    peers: [],
    bin: { sluice: "apps/cli/main.ts" },
    on: null,
    bundled: "programs"
  }
]

/** The folder of a package among the entries of the checkout: `@sluice/client/promise` is `sluice/client/promise` there. */
const folderOf = (/** @type {Package} */ { name }) =>
  name
    .replace(/^@sluice\//, "")
    .replace(/^(core|sluice)$/, "")
    .replace(/^window$/, "window/plain")

/** The names of the entries in the checkout, by those that are published. */
export const namesInCheckout = Object.fromEntries(
  packages.flatMap((one) =>
    Object.keys(one.entries).map((subpath) => [
      posix.join(one.name, subpath).replace(/\/$/, ""),
      posix.join("sluice", folderOf(one), subpath).replace(/\/$/, "")
    ])
  )
)

/** The `exports` of the checkout: every entry of a package, and its file. */
export const exportsOfCheckout = Object.fromEntries(
  packages.flatMap((one) =>
    Object.entries(one.entries).map(([subpath, file]) => [
      `./${posix.join(folderOf(one), subpath)}`.replace(/\/\.?$/, ""),
      `./${file}`
    ])
  )
)

/** `package.json` and `deno.json` with these `exports`, by their names. */
export const writtenManifests = () =>
  Object.fromEntries(
    ["package.json", "deno.json"].map((name) => {
      const config = JSON.parse(readFileSync(join(root, name), "utf8"))
      return [name, `${JSON.stringify({ ...config, exports: exportsOfCheckout }, null, 2)}\n`]
    })
  )
