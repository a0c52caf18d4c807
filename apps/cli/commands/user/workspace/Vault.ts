/**
 * `sluice vault`: the credentials of a workspace, sealed on this machine.
 */
import { Argument, Command, Flag } from "effect/cli"
import { TfaMethod } from "../../../../../core/vault/VaultEntry.ts"
import { sealing } from "../../../Settings.ts"
import { handler } from "../../Handler.ts"
import { watch } from "../Execute.ts"
import { service } from "../Service.ts"

const load = () => import("../../../handlers/user/workspace/Vault.ts")

const pair = {
  user: Argument.String("user").pipe(
    Argument.withDescription("Id under which runs name the credential: permissioned_user_id")
  ),
  site: Argument.String("site").pipe(
    Argument.withDescription("Site of the credential, such as https://app.example.com")
  )
}

const list = Command.make(
  "list",
  service,
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the credentials, with which of their secrets are set"))

const put = Command.make(
  "put",
  {
    ...service,
    ...sealing,
    ...pair,
    fromEnv: Flag.KeyValuePair("from-env").pipe(
      Flag.withDescription(
        "A secret and the variable that holds it, such as password=PORTAL_PASSWORD; may be repeated"
      ),
      Flag.withDefault({})
    ),
    tfaMethod: Flag.Literals("tfa-method", TfaMethod.literals).pipe(
      Flag.withDescription("Source of one-time codes"),
      Flag.optional
    )
  },
  handler(load, ({ put }) => put)
).pipe(
  Command.withDescription(
    "Seal secrets on this machine and store them; they are prompted for, or read as a JSON object from standard input"
  )
)

const test = Command.make(
  "test",
  {
    ...service,
    ...sealing,
    ...pair,
    code: Flag.Boolean("code").pipe(
      Flag.withDescription("Also request a one-time code from the service; a counter of codes advances by one"),
      Flag.withDefault(false)
    )
  },
  handler(load, ({ test }) => test)
).pipe(Command.withDescription("Check on this machine that the encryption key decrypts the secrets of a credential"))

const check = Command.make(
  "check",
  {
    ...service,
    ...pair,
    watch,
    workflow: Flag.String("workflow").pipe(
      Flag.withDescription("Id or name of the workflow that signs in; without it, that of the last run that tried to"),
      Flag.optional
    ),
    input: Flag.String("input").pipe(
      Flag.withDescription("Input of the workflow beside the credential: a JSON object, or @ and a file"),
      Flag.optional
    )
  },
  handler(load, ({ check }) => check)
).pipe(Command.withDescription("Start a run that only signs in with a credential, and follow it with --watch"))

export const vault = Command.make("vault").pipe(
  Command.withDescription("List, store and check credentials; secrets are sealed before they leave this machine"),
  Command.withSubcommands([list, put, test, check])
)
