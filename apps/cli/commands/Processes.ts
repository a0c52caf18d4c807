/**
 * `sluice api`, `sluice scheduler`, `sluice worker` and `sluice migrate`: one part of the service each. Any number of
 * them, on any machines, work together on one `DATABASE_URL`.
 */
import { Command } from "effect/cli"
import * as BrowserSettings from "../BrowserSettings.ts"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

export const api = Command.make(
  "api",
  {
    ...Settings.storage,
    ...Settings.listening,
    ...Settings.model,
    ...Settings.vault,
    ...Settings.inbox,
    ...Settings.inbound,
    ...Settings.keeping,
    ...Settings.health
  },
  handler(
    () => import("../handlers/Api.ts"),
    ({ api }) => api
  )
).pipe(Command.withDescription("Serve the HTTP interface"))

export const inbox = Command.make(
  "inbox",
  { ...Settings.storage, ...Settings.vault, ...Settings.inbox, ...Settings.health },
  handler(
    () => import("../handlers/Inbox.ts"),
    ({ inbox }) => inbox
  )
).pipe(Command.withDescription("Receive mail with one-time codes and links"))

export const scheduler = Command.make(
  "scheduler",
  { ...Settings.storage, ...Settings.keeping, ...Settings.health },
  handler(
    () => import("../handlers/Scheduler.ts"),
    ({ scheduler }) => scheduler
  )
).pipe(Command.withDescription("Open and close gates on time, and end lost or expired runs"))

export const worker = Command.make(
  "worker",
  {
    ...Settings.storage,
    ...Settings.working,
    ...Settings.model,
    ...BrowserSettings.browsers,
    ...Settings.vault,
    ...Settings.health
  },
  handler(
    () => import("../handlers/Worker.ts"),
    ({ worker }) => worker
  )
).pipe(Command.withDescription("Execute runs in a browser"))

export const migrate = Command.make(
  "migrate",
  {
    ...Settings.storage,
    bootstrapKey: Settings.bootstrap.bootstrapKey,
    bootstrapEncryptionKey: Settings.bootstrap.bootstrapEncryptionKey,
    json: service.json
  },
  handler(
    () => import("../handlers/Migrate.ts"),
    ({ migrate }) => migrate
  )
).pipe(Command.withDescription("Migrate the database to the current schema, and create the first workspace"))
