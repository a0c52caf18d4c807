/** `sluice backup`, `sluice restore` and `sluice import`: copies of all data of an installation. */
import { Argument, Command, Flag } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

const keys = (description: string) => Flag.String("keys").pipe(Flag.withDescription(description), Flag.optional)

export const backup = Command.make(
  "backup",
  {
    ...Settings.storage,
    json: service.json,
    folder: Argument.String("folder"),
    keys: keys("File to write the master key of the data folder to, apart from the backup"),
    withoutArtifacts: Flag.Boolean("without-artifacts").pipe(
      Flag.withDescription("Leave out screenshots, videos and files of runs"),
      Flag.withDefault(false)
    )
  },
  handler(
    () => import("../handlers/transfer/Backup.ts"),
    ({ backup }) => backup
  )
).pipe(Command.withDescription("Write a consistent copy of the database and the artifacts to a new folder"))

export const restore = Command.make(
  "restore",
  {
    ...Settings.storage,
    json: service.json,
    folder: Argument.String("folder"),
    keys: keys("File with the master key, for a data folder that has none")
  },
  handler(
    () => import("../handlers/transfer/Restore.ts"),
    ({ restore }) => restore
  )
).pipe(Command.withDescription("Write a backup to an empty database and check it; a database with data is refused"))

export const importData = Command.make(
  "import",
  {
    ...Settings.storage,
    json: service.json,
    from: Flag.String("from").pipe(Flag.withDescription("Data folder whose embedded database is copied"))
  },
  handler(
    () => import("../handlers/transfer/Import.ts"),
    ({ importData }) => importData
  )
).pipe(Command.withDescription("Copy the embedded database of a data folder to an empty PostgreSQL database"))
