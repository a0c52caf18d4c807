/**
 * `sluice doctor`: how well this machine keeps browsers and other users from the data of the service, and whether its database can
 * be worked with. It changes nothing, and may be run beside a service.
 */
import { Command } from "effect/cli"
import { browsers } from "../BrowserSettings.ts"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

export const doctor = Command.make(
  "doctor",
  {
    dataDir: Settings.storage.dataDir,
    databaseUrl: Settings.storage.databaseUrl,
    chromium: Settings.working.chromium,
    browserEndpoints: browsers.browserEndpoints,
    browserUser: browsers.browserUser,
    browserSandbox: browsers.browserSandbox,
    json: service.json
  },
  handler(
    () => import("../handlers/Doctor.ts"),
    ({ doctor }) => doctor
  )
).pipe(Command.withDescription("Check the isolation of browsers and data on this machine, and report what is missing"))
