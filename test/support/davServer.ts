/** A real WebDAV server on loopback: Apache with `mod_dav`, which Debian's package `apache2` has. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { freePort } from "./ownServer.ts"

const program = "/usr/sbin/apache2"
const modules = "/usr/lib/apache2/modules"

export const isMissing = !existsSync(program) || !existsSync(join(modules, "mod_dav_fs.so"))
export const missing = "Apache is missing: Debian's package apache2 has it"

export const access = { username: "robot", password: "the password of the WebDAV server" }

const settings = (folder: string, port: number) => `
ServerRoot ${folder}
PidFile ${folder}/pid
ServerName localhost
Listen 127.0.0.1:${port}
User www-data
Group www-data
ErrorLog ${folder}/log
${["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav", "dav_fs"]
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join("\n")}
DocumentRoot ${folder}/files
DavLockDB ${folder}/locks
<Directory ${folder}/files>
  Dav On
  AuthType Basic
  AuthName files
  AuthUserFile ${folder}/users
  Require valid-user
</Directory>
`

const isListening = (port: number) =>
  Effect.callback<void, "not yet">((resume) => {
    const socket = connect(port, "127.0.0.1", () => resume(Effect.void))
    socket.on("error", () => resume(Effect.fail("not yet")))
    return Effect.sync(() => socket.destroy())
  })

/** Serves the files of an empty folder until the scope closes. */
export const serve = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-dav-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const files = join(folder, "files")
  mkdirSync(files)
  // Apache gives its rights up when it is started by root.
  for (const one of [folder, files]) chmodSync(one, 0o777)
  const port = yield* Effect.promise(freePort)
  const hash = createHash("sha1").update(access.password).digest("base64")
  writeFileSync(join(folder, "users"), `${access.username}:{SHA}${hash}\n`)
  writeFileSync(join(folder, "settings"), settings(folder, port))
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, ["-f", join(folder, "settings"), "-X"], { stdio: "ignore" })),
    (process) =>
      Effect.callback<void>((resume) => {
        process.on("exit", () => resume(Effect.void))
        if (!process.kill("SIGKILL")) resume(Effect.void)
      })
  )
  yield* isListening(port).pipe(Effect.retry(Schedule.spaced("20 millis")), Effect.orDie)
  return { files, port }
})
