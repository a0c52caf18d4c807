/** A real SSH server on loopback with SFTP: OpenSSH, which Debian's package `openssh-server` has. */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { listening } from "./listening.ts"
import { freePort } from "./ownServer.ts"

const program = "/usr/sbin/sshd"
const sftpServer = "/usr/lib/openssh/sftp-server"

/** Why there is no such server here; `null` where there is one. */
export const missing =
  existsSync(program) && existsSync(sftpServer) ? null : "sshd is missing: Debian's package openssh-server has it"

const settings = (folder: string, port: number) => `
Port ${port}
ListenAddress 127.0.0.1
PidFile none
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp ${sftpServer} -d ${folder}/files -e -l INFO 2>>${folder}/log
`

const makeKey = (path: string) => execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path])

const fingerprintOf = (path: string) =>
  /SHA256:\S+/.exec(execFileSync("ssh-keygen", ["-l", "-f", path], { encoding: "utf8" }))?.[0] ?? ""

/** Passes connections on to a server on this port, unless it is away. */
const front = (behind: number) =>
  Effect.gen(function* () {
    const state = { isAway: false }
    const server = createServer((socket) => {
      if (state.isAway) return void socket.destroy()
      const passed = connect(behind, "127.0.0.1")
      for (const [from, to] of [
        [socket, passed],
        [passed, socket]
      ] as const) {
        from.on("error", () => to.destroy()).on("close", () => to.destroy())
        from.pipe(to)
      }
    })
    return { port: yield* listening(server), state }
  })

/** Serves an empty folder, where users begin, until the scope closes. */
export const serve = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-ssh-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const files = join(folder, "files")
  mkdirSync(files)
  writeFileSync(join(folder, "log"), "")
  for (const name of ["host", "user"]) makeKey(join(folder, name))
  // The folder that a server of root has on a machine that was started with one.
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 })
  const behind = yield* Effect.promise(freePort)
  writeFileSync(join(folder, "settings"), settings(folder, behind))
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const started = spawn(program, ["-D", "-e", "-f", join(folder, "settings")], {
        stdio: ["ignore", "ignore", "pipe"]
      })
      started.stderr.on("data", (text) => {
        if (String(text).includes("Server listening")) resume(Effect.succeed(started))
      })
      started.on("exit", () => resume(Effect.die(new Error("sshd ended before it listened"))))
    }),
    (started) =>
      Effect.callback<void>((resume) => {
        started.on("exit", () => resume(Effect.void))
        if (!started.kill()) resume(Effect.void)
      })
  )
  const { port, state } = yield* front(behind)
  return {
    files,
    port,
    hostKey: fingerprintOf(join(folder, "host.pub")),
    access: { username: userInfo().username, privateKey: readFileSync(join(folder, "user"), "utf8") },
    /** How many files it was sent, those apart that are empty. */
    sent: () =>
      readFileSync(join(folder, "log"), "utf8").match(/^close ".*" bytes read 0 written [1-9]/gm)?.length ?? 0,
    away: (isAway: boolean) => {
      state.isAway = isAway
    }
  }
})
