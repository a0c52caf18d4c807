/**
 * What `sluice up` does: everything in one process, and the demo when the data is empty.
 */
import { createServer } from "node:net"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Lock from "../../../adapters/embedded/Lock.ts"
import { addressOf } from "../../../core/vault/inbox/Inbox.ts"
import { SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { leaving } from "../../api/http/Closing.ts"
import * as Server from "../../api/Server.ts"
import * as Demo from "../../demo/Demo.ts"
import { demoUsers } from "../../demo/DemoUsers.ts"
import * as MessageDelivery from "../../demo/MessageDelivery.ts"
import * as Site from "../../demo/Site.ts"
import * as Terminal from "../../demo/Terminal.ts"
import * as Ending from "../Ending.ts"
import * as Guards from "../guards/Guards.ts"
import * as Ports from "../guards/Ports.ts"
import * as Health from "../health/Health.ts"
import * as Installation from "../health/Installation.ts"
import { layerApi, type Serving } from "../layers/Api.ts"
import * as FirstWorkspace from "../layers/FirstWorkspace.ts"
import * as Inbox from "../layers/Inbox.ts"
import { layerScheduler } from "../layers/Scheduler.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { layerWorker, presence, type WorkerLayerSettings } from "../layers/Worker.ts"
import { untilEnd } from "./AtRest.ts"
import type { Keeping } from "./retention/Keeping.ts"

interface UpSettings
  extends StorageSettings,
    Serving,
    WorkerLayerSettings,
    Keeping,
    Inbox.ReceivingMail,
    FirstWorkspace.Bootstrap,
    Health.HealthSettings {
  readonly demo: boolean
}

export const up = Effect.fnUntraced(
  function* (given: UpSettings) {
    yield* Guards.check("up", given)
    const withDemo = given.demo && Option.isNone(given.databaseUrl)
    const near = (distance: number) => Ports.beside(given.port, distance, portsOf(given))
    const settings = withDemo ? yield* withInbox(given, near(2)) : given
    const addresses = new Map<string, string>()
    const post = MessageDelivery.make({
      smtpPort: Option.getOrNull(settings.smtpPort),
      addresses,
      say: (line) => console.log(line)
    })
    const site = withDemo ? Option.some(yield* Site.serve(near(1), { post })) : Option.none()
    const own = presence(settings)
    // Released from the top: the interface closes after the runs of the worker have ended or were released.
    const service = Health.checks.pipe(
      Layer.provideMerge(Layer.merge(layerScheduler(settings), layerWorker(settings, own, Option.toArray(site)))),
      Layer.provideMerge(Layer.merge(layerApi(settings), Inbox.layer(settings))),
      Layer.provideMerge(FirstWorkspace.layer(settings)),
      Layer.provideMerge(Installation.layer("up", own)),
      Layer.provideMerge(layerEncryption(settings)),
      Layer.provideMerge(layerStorage(settings)),
      Layer.provide(Health.layer(settings))
    )

    yield* Effect.gen(function* () {
      const made = yield* FirstWorkspace.FirstWorkspace
      const api = yield* Server.address
      if (Option.isNone(settings.databaseUrl)) yield* Lock.announce(settings.dataDir, api)
      if (Option.isSome(made)) yield* Console.log(welcome(api, made.value))
      if (Option.isSome(site)) {
        yield* Console.log(`Demo site   ${site.value}/login`)
        for (const { id } of (yield* (yield* WorkspaceStore).list).slice(0, 1)) {
          const buyer = { permissionedUserId: "buyer", domain: site.value }
          if (Option.isSome(settings.inboxDomain))
            addresses.set(demoUsers.buyer.user, addressOf(id, buyer, settings.inboxDomain.value))
        }
      }
      for (const link of yield* signInLink) {
        yield* Console.log(`Console     ${api}/#sign-in=${Redacted.value(link)}  (signs in once, within an hour)`)
      }
      yield* Console.log(`sluice ready ${api}`)
      if (Option.isSome(made) && Option.isSome(site)) {
        const demo = { api, ...made.value, site: site.value }
        yield* Effect.andThen(Demo.keepCredentials(demo), Demo.run(demo, terminal())).pipe(
          Effect.provide(FetchHttpClient.layer),
          Effect.matchEffect({
            onFailure: (error) => Console.error(error.message),
            onSuccess: (id) => Console.log(farewell(id))
          })
        )
      }
      yield* untilEnd
    }).pipe(leaving, Effect.provide(service))
  },
  Effect.scoped,
  Ending.service("up")
)

/** A link that signs a browser in as the owner of the first workspace; none when no key of an owner is left. */
const signInLink = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const [first] = yield* workspaces.list
  const keys = first === undefined ? [] : yield* workspaces.listKeys(first.id)
  const owner = keys.find(({ expiresAt, revokedAt, role, scopes }) => {
    const isWhole = role === "Owner" && scopes === undefined
    return isWhole && revokedAt === null && expiresAt === undefined
  })
  if (owner === undefined) return []
  const link = (yield* SignIns).link({ workspaceId: owner.workspaceId }, owner.id)
  // An operator has no limit.
  return [yield* Effect.catchTag(link, "TooManyLinks", Effect.die)]
}).pipe(Effect.provide(SignIns.layer))

/** The ports that the settings name beside that of the interface. */
const portsOf = ({ healthPort, smtpPort }: UpSettings) => [...Option.toArray(smtpPort), ...Option.toArray(healthPort)]

/** With the demo, mail is received on loopback, unless the settings say how. */
const withInbox = Effect.fnUntraced(function* <S extends Inbox.ReceivingMail>(settings: S, wanted: number) {
  if (Option.isSome(settings.smtpPort) || Option.isSome(settings.inboxDomain)) return settings
  const smtpPort = Option.some(yield* freePort(wanted))
  return { ...settings, smtpPort, smtpHost: "127.0.0.1", inboxDomain: Option.some("inbox.localhost") }
})

/** The wanted port of loopback, or another one if that is taken. */
const freePort = (wanted: number) =>
  Effect.callback<number>((resume) => {
    const probe = createServer()
    probe.on("error", () => probe.listen(0, "127.0.0.1"))
    probe.on("listening", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resume(Effect.succeed(port)))
    })
    probe.listen(wanted, "127.0.0.1")
  })

const farewell = (workflowId: string): string =>
  [
    "",
    `That was workflow ${workflowId}, signed in as "controller". As "buyer" its code comes by mail, as "owner" it asks you`,
    "(POST /run/{session_id}/user_interaction). In the console, Author records a workflow of your own. The service keeps",
    "running; Ctrl-C ends it."
  ].join("\n")

const welcome = (api: string, { encryptionKey, key }: FirstWorkspace.FirstKeys): string =>
  [
    "The first workspace was created. Its owner's API key is shown only once. The key that seals its credentials can be",
    "shown again with `npm run -s sluice -- keys encryption`:",
    "",
    `  API key          ${Redacted.value(key)}`,
    `  Encryption key   ${Redacted.value(encryptionKey)}`,
    "",
    `Interface   ${api}`,
    `Reference   ${api}/docs`
  ].join("\n")

const terminal = () =>
  Terminal.report((line) => process.stdout.write(`${line}\n`), {
    colours: process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === ""
  })
