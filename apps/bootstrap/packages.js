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
 * @property {"client" | "programs" | null} bundled What is bundled: each entry, without what only the service needs, or the
 *   programs, so that they start fast.
 */

const core = {
  "./agent": "core/agent/Agent.ts",
  "./agent/budget": "core/agent/model/Budget.ts",
  "./agent/captcha": "core/agent/action/CaptchaSolver.ts",
  "./agent/limits": "core/agent/Limits.ts",
  "./agent/memory": "core/agent/recovery/ElementMemory.ts",
  "./agent/model": "core/agent/model/Model.ts",
  "./browser": "core/browser/Browser.ts",
  "./browser/files": "core/browser/file/FileSource.ts",
  "./browser/session": "core/browser/Session.ts",
  "./builder/store": "core/builder/BuilderStore.ts",
  "./event/deliveries": "core/event/webhook/Deliveries.ts",
  "./event/log": "core/event/EventLog.ts",
  "./event/secrets": "core/event/webhook/WebhookSecrets.ts",
  "./event/sender": "core/event/webhook/Sender.ts",
  "./event/subscriptions": "core/event/notification/KeptSubscription.ts",
  "./event/webhooks": "core/event/webhook/Webhook.ts",
  "./execution": "core/execution/AgentExecutor.ts",
  "./execution/live/channel": "core/execution/live/LiveChannel.ts",
  "./execution/live/store": "core/execution/live/LiveStore.ts",
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
  "./run/artifacts/store": "core/run/artifact/ArtifactStore.ts",
  "./run/browsers": "core/run/BrowserCapacity.ts",
  "./run/decisions": "core/run/evidence/DecisionStore.ts",
  "./run/errors": "core/run/evidence/ErrorReports.ts",
  "./run/evidence": "core/run/evidence/EvidenceStore.ts",
  "./run/evidence/signer": "core/run/evidence/BundleSigner.ts",
  "./run/executor": "core/run/Executor.ts",
  "./run/interactions": "core/run/interaction/InteractionStore.ts",
  "./run/removal": "core/run/retention/RunRemovalStore.ts",
  "./run/retention": "core/run/retention/RetentionStore.ts",
  "./run/simulation": "core/run/simulation/Simulation.ts",
  "./run/starts": "core/run/start/StartLedger.ts",
  "./run/store": "core/run/RunStore.ts",
  "./runs": "core/run/Runs.ts",
  "./schedule": "core/schedule/ScheduleTiming.ts",
  "./schedule/store": "core/schedule/ScheduleStore.ts",
  "./scheduler": "core/run/Scheduler.ts",
  "./settings": "core/runtime/SettingNames.ts",
  "./signals": "core/runtime/Signals.ts",
  "./skew": "core/runtime/ClockSkew.ts",
  "./testing": "core/testing/WindowGenerators.ts",
  "./testing/apikeys": "core/testing/contract/crypto/ApiKeyContract.ts",
  "./testing/artifacts": "core/testing/contract/ArtifactContract.ts",
  "./testing/artifacts/store": "core/testing/contract/run/ArtifactRecordContract.ts",
  "./testing/audit": "core/testing/contract/workspace/AuditContract.ts",
  "./testing/browser": "core/testing/browser/ScriptedBrowser.ts",
  "./testing/browser/contract": "core/testing/contract/browser/BrowserContract.ts",
  "./testing/browser/pages": "core/testing/contract/browser/BrowserPages.ts",
  "./testing/builder": "core/testing/contract/workspace/ConversationContract.ts",
  "./testing/captcha": "core/testing/contract/agent/CaptchaContract.ts",
  "./testing/clock": "core/testing/SteppingClock.ts",
  "./testing/clock/contract": "core/testing/contract/ClockContract.ts",
  "./testing/collections": "core/testing/contract/workspace/CollectionContract.ts",
  "./testing/components": "core/testing/contract/workflow/ComponentContract.ts",
  "./testing/contract": "core/testing/contract/Contract.ts",
  "./testing/decisions": "core/testing/contract/run/DecisionContract.ts",
  "./testing/deliveries": "core/testing/contract/DeliveryContract.ts",
  "./testing/events": "core/testing/contract/EventLogContract.ts",
  "./testing/evidence": "core/testing/contract/run/EvidenceContract.ts",
  "./testing/executor": "core/testing/contract/run/ExecutorContract.ts",
  "./testing/files": "core/testing/contract/browser/FileContract.ts",
  "./testing/findings": "core/testing/contract/workflow/FindingsContract.ts",
  "./testing/fingerprints": "core/testing/contract/crypto/FingerprintContract.ts",
  "./testing/holds": "core/testing/contract/start/HoldContract.ts",
  "./testing/idempotency": "core/testing/contract/IdempotencyContract.ts",
  "./testing/identifiers": "core/testing/contract/crypto/IdentifierContract.ts",
  "./testing/inbox": "core/testing/contract/vault/InboxContract.ts",
  "./testing/installations": "core/testing/contract/crypto/Processes.ts",
  "./testing/interactions": "core/testing/contract/run/InteractionContract.ts",
  "./testing/links": "core/testing/contract/crypto/LinkContract.ts",
  "./testing/live": "core/testing/contract/run/LiveContract.ts",
  "./testing/logins": "core/testing/contract/start/LoginContract.ts",
  "./testing/model": "core/testing/contract/agent/ModelContract.ts",
  "./testing/paces": "core/testing/contract/start/PaceContract.ts",
  "./testing/recorder": "core/testing/contract/process/RecorderContract.ts",
  "./testing/reference": "core/testing/ReferenceWindow.ts",
  "./testing/removal": "core/testing/contract/run/RemovalContract.ts",
  "./testing/sandbox": "core/testing/contract/workflow/SandboxContract.ts",
  "./testing/schedules": "core/testing/contract/run/ScheduleContract.ts",
  "./testing/sealed": "core/testing/contract/vault/SealedContract.ts",
  "./testing/sealing": "core/testing/contract/crypto/SealingContract.ts",
  "./testing/secrets": "core/testing/contract/crypto/WebhookSecretContract.ts",
  "./testing/sender": "core/testing/contract/event/SenderContract.ts",
  "./testing/signals": "core/testing/contract/SignalsContract.ts",
  "./testing/signer": "core/testing/contract/crypto/BundleSignerContract.ts",
  "./testing/signins": "core/testing/contract/workspace/SignInContract.ts",
  "./testing/sources": "core/testing/contract/vault/SecretSourceContract.ts",
  "./testing/starts": "core/testing/contract/run/StartContract.ts",
  "./testing/steps": "core/testing/contract/vault/TimeStepContract.ts",
  "./testing/stores": "core/testing/contract/StoreContract.ts",
  "./testing/vault": "core/testing/contract/VaultContract.ts",
  "./testing/weeks": "core/testing/Weeks.ts",
  "./testing/workflow": "core/testing/WorkflowTrial.ts",
  "./testing/workspaces": "core/testing/contract/WorkspaceContract.ts",
  "./testing/wrapping": "core/testing/contract/crypto/WrappingContract.ts",
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
  "./window/testing": "core/testing/WindowGenerators.ts",
  "./window/text": "core/window/exchange/WindowText.ts",
  "./worker": "core/run/Worker.ts",
  "./workflow": "core/workflow/Workflow.ts",
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
  "./workspace/signins": "core/workspace/signin/SignInStore.ts",
  "./workspace/store": "core/workspace/WorkspaceStore.ts"
}

const client = {
  ".": "apps/api/Client.ts",
  "./promise": "apps/api/PromiseClient.ts",
  "./sealing": "adapters/crypto/VaultValues.ts"
}

const conformance = { ".": "apps/conformance/Conformance.ts" }

/** @type {ReadonlyArray<Package>} */
export const packages = [
  {
    name: "@sluice/core",
    folder: "core",
    description: "Run windows, gates, runs, workflows and the agent of Sluice, for Effect programs",
    readme:
      "Run windows, gates, runs, workflows and the agent of Sluice, with the scheduler and the worker over ports, and every store in memory.\n\n```sh\nnpm install @sluice/core effect\n```\n\nEach module is an entry of its own, such as `@sluice/core/window`. No module reads a clock: instants are arguments, or come from the `Clock` of Effect.",
    entries: core,
    peers: ["effect"],
    bin: {},
    on: null,
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
    bin: { "sluice-conformance": "apps/conformance/main.ts" },
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
const folderOf = (/** @type {Package} */ { name }) => name.replace(/^@sluice\//, "").replace(/^(core|sluice)$/, "")

/** The `exports` of the checkout: every entry of a package, and its file. */
export const exportsOfCheckout = Object.fromEntries(
  packages.flatMap((one) =>
    Object.entries(one.entries).map(([subpath, file]) => [`./${posix.join(folderOf(one), subpath)}`, `./${file}`])
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
