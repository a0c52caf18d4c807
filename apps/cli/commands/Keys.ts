/**
 * `sluice keys`: the API keys of a workspace, and its encryption key. Keys are those of a service, over HTTP, or of the
 * stores of an installation.
 */
import { Argument, Command, Flag } from "effect/cli"
import { Role, Scope } from "../../../core/workspace/Workspace.ts"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { rotations } from "./Rotate.ts"
import { service } from "./user/Service.ts"
import { workspace } from "./WorkspaceFlag.ts"

const load = () => import("../handlers/Keys.ts")

const loadInvitations = () => import("../handlers/user/workspace/Invitations.ts")

/** A service, or the stores of an installation. */
const place = { ...Settings.storage, ...service, workspace }

const id = Argument.String("key-id").pipe(Argument.withDescription("Id of the key"))

/** The properties of a new key. */
const given = {
  name: Flag.String("name").pipe(Flag.withDescription("Name of the key in lists"), Flag.optional),
  role: Flag.Literals("role", Role.literals).pipe(
    Flag.withDescription("What the key may do"),
    Flag.withDefault("Member")
  ),
  scope: Flag.Literals("scope", Scope.literals).pipe(
    Flag.withDescription("Restricts the key to a part of the abilities of its role"),
    Flag.atLeast(0)
  )
}

const create = Command.make(
  "create",
  {
    ...place,
    ...given,
    expiresIn: Flag.Int("expires-in").pipe(
      Flag.withDescription("Lifetime of the key in seconds, at least 60; no limit when not set"),
      Flag.filter(
        (seconds) => seconds >= 60,
        () => "a number of seconds from 60 on"
      ),
      Flag.optional
    )
  },
  handler(load, ({ create }) => create)
).pipe(Command.withDescription("Create a key, and show it once"))

const list = Command.make(
  "list",
  place,
  handler(load, ({ list }) => list)
).pipe(Command.withDescription("List the keys of a workspace; their secret values are not stored"))

const revoke = Command.make(
  "revoke",
  { ...place, id },
  handler(load, ({ revoke }) => revoke)
).pipe(Command.withDescription("Revoke a key by its id"))

const rotateKey = Command.make(
  "key",
  {
    ...place,
    id,
    grace: Flag.Int("grace").pipe(
      Flag.withDescription("Seconds for which the former key is still accepted, up to 2592000; a day when not set"),
      Flag.filter(
        (seconds) => seconds >= 0 && seconds <= 2_592_000,
        () => "a number of seconds from 0 to 2592000"
      ),
      Flag.optional
    )
  },
  handler(load, ({ rotate }) => rotate)
).pipe(Command.withDescription("Replace an API key by a new one, and show it once"))

const invite = Command.make(
  "invite",
  {
    ...service,
    ...given,
    expiresIn: Flag.Int("expires-in").pipe(
      Flag.withDescription("Lifetime of the invitation in seconds, up to 2592000; 7 days when not set"),
      Flag.filter(
        (seconds) => seconds >= 60 && seconds <= 2_592_000,
        () => "a number of seconds from 60 to 2592000"
      ),
      Flag.optional
    )
  },
  handler(loadInvitations, ({ invite }) => invite)
).pipe(Command.withDescription("Invite a person, who makes a key with the token; it is shown once"))

const invitations = Command.make(
  "invitations",
  service,
  handler(loadInvitations, ({ list }) => list)
).pipe(Command.withDescription("List the invitations of a workspace: open, used and expired ones"))

const uninvite = Command.make(
  "uninvite",
  { ...service, id: Argument.String("invitation-id").pipe(Argument.withDescription("Id of the invitation")) },
  handler(loadInvitations, ({ revoke }) => revoke)
).pipe(Command.withDescription("Revoke an invitation that was not used"))

const encryption = Command.make(
  "encryption",
  { ...Settings.storage, json: service.json, workspace },
  handler(load, ({ encryption }) => encryption)
).pipe(Command.withDescription("Show the encryption key of a workspace, which seals its credentials"))

const rotate = Command.make("rotate").pipe(
  Command.withDescription("Rotate an API key, the encryption key of a workspace, or the master key"),
  Command.withSubcommands([rotateKey, ...rotations])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription(
    "Create, list, rotate and revoke API keys, invite people, and show or rotate encryption keys"
  ),
  Command.withSubcommands([create, list, revoke, invite, invitations, uninvite, encryption, rotate])
)
