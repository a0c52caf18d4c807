/**
 * The IMAP of Dovecot of Debian on loopback, with mailboxes that are folders of plain files.
 *
 * Dovecot's own service of logins finds its modules only where it is installed. A door of the bench checks the name and
 * the password instead, and leads each connection to a process of Dovecot.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { debian } from "./Packages.ts"
import type { Process } from "./Processes.ts"

const version = "1:2.3.19.1+dfsg1-2.1+deb12u7"

const others = ["dovecot-imapd", "libexttextcat-2.0-0", "liblua5.4-0", "libsodium23", "libstemmer0d", "libunwind8"]

/** The user `nobody`: Dovecot gives no mailboxes to root. */
const nobody = 65_534

export interface Account {
  readonly name: string
  readonly password: string
}

export interface Mailboxes extends Process {
  readonly port: number
  /** Empties all mailboxes, and puts messages into the first one, the oldest first. */
  readonly fill: (messages: ReadonlyArray<string>) => Promise<void>
  /** The messages that a mailbox holds, such as `Sent`; the first one is `INBOX`. */
  readonly stored: (mailbox: string) => Promise<ReadonlyArray<string>>
}

/** The messages in the folder of a mailbox; `null` where one of them was renamed meanwhile, as when its flags change. */
const textsIn = async (folder: string): Promise<ReadonlyArray<string> | null> => {
  const texts: Array<string> = []
  for (const name of ["cur", "new"]) {
    const inside = join(folder, name)
    // A mailbox that nothing was put into has no folder.
    for (const file of await readdir(inside).catch(() => [])) {
      const isDeleted = /:2,.*T/.test(file)
      if (isDeleted) continue
      try {
        texts.push(await readFile(join(inside, file), "utf8"))
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
        throw error
      }
    }
  }
  return texts
}

const settings = (root: string, state: string, { gid, uid }: Owner) => `
protocols = imap
base_dir = ${state}
state_dir = ${state}
ssl = no
stats_writer_socket_path =
mail_plugin_dir = ${root}/usr/lib/dovecot/modules
mail_location = maildir:${state}/mail
mail_home = ${state}/mail
mail_uid = ${uid}
mail_gid = ${gid}
namespace inbox {
  inbox = yes
  separator = .
${["Drafts", "Sent", "Trash", "Junk", "Archive"].map((name) => `  mailbox ${name} {\n    auto = subscribe\n  }`).join("\n")}
}
`

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Who the mailboxes belong to. */
const owner = (): Owner =>
  process.getuid?.() === 0
    ? { uid: nobody, gid: nobody }
    : { uid: process.getuid?.() ?? nobody, gid: process.getgid?.() ?? nobody }

/** Serves the logins of one account, and gives a connection to `enter` once it has signed in. */
const serveDoor = async (account: Account, enter: (socket: Socket, tag: string) => void) => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once("close", () => void open.delete(socket))
    socket.on("error", () => socket.destroy())
    const say = (line: string) => socket.write(`${line}\r\n`)
    const lines = createInterface({ input: socket })
    lines.on("line", (line) => {
      const [, tag = "*", command = "", rest = ""] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? []
      switch (command.toUpperCase()) {
        case "CAPABILITY":
          say("* CAPABILITY IMAP4rev1 ID")
          return say(`${tag} OK done`)
        case "ID":
          say("* ID NIL")
          return say(`${tag} OK done`)
        case "LOGIN": {
          const given = rest.replaceAll('"', "")
          if (given !== `${account.name} ${account.password}`) return say(`${tag} NO [AUTHENTICATIONFAILED] refused`)
          lines.close()
          return enter(socket, tag)
        }
        case "LOGOUT":
          say("* BYE")
          say(`${tag} OK done`)
          return socket.end()
        default:
          return say(`${tag} BAD unknown command`)
      }
    })
    say("* OK [CAPABILITY IMAP4rev1 ID] ready")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  return {
    port: at !== null && typeof at === "object" ? at.port : 0,
    stop: () => {
      for (const socket of open) socket.destroy()
      server.close()
    }
  }
}

/** Starts a server with one account and nothing in its mailboxes. */
export const start = async (folder: string, account: Account): Promise<Mailboxes> => {
  const root = await debian(folder, "dovecot-core", version, others)
  const state = await mkdtemp(join(tmpdir(), "sluice-dovecot-"))
  const owned = owner()
  const mail = join(state, "mail")
  const config = join(state, "dovecot.conf")
  await writeFile(config, settings(root, state, owned))
  await chown(state, owned.uid, owned.gid)
  const make = async (path: string) => {
    await mkdir(path, { recursive: true })
    await chown(path, owned.uid, owned.gid)
  }
  await make(mail)
  const env = {
    LD_LIBRARY_PATH: `${root}/usr/lib/dovecot:${root}/usr/lib/x86_64-linux-gnu`,
    USER: account.name,
    HOME: mail
  }
  const running = new Set<ChildProcess>()
  const endAll = () =>
    Promise.all(
      [...running].map((imap) => {
        const ended = once(imap, "exit")
        imap.kill("SIGKILL")
        return ended
      })
    )
  const door = await serveDoor(account, (socket, tag) => {
    // A process looks for its reader of settings on the machine: it is started by that reader instead.
    const imap = spawn(
      join(root, "usr/bin/doveconf"),
      ["-c", config, "-f", "service=imap", "-m", "imap", "-e", join(root, "usr/lib/dovecot/imap")],
      { cwd: state, env, stdio: ["pipe", "pipe", "ignore"], ...(process.getuid?.() === 0 ? owned : {}) }
    )
    running.add(imap)
    imap.once("exit", () => void running.delete(imap))
    for (const stream of [imap.stdin, imap.stdout]) stream.on("error", () => socket.destroy())
    // The greeting of the process, which knows that the account has signed in, becomes the answer to the login.
    imap.stdout.once("data", (greeting: Buffer) => {
      socket.write(greeting.toString().replace(/^\* PREAUTH/, `${tag} OK`))
      imap.stdout.pipe(socket)
    })
    socket.pipe(imap.stdin)
    socket.resume()
  })
  const folderOf = (mailbox: string) => (mailbox === "INBOX" ? mail : join(mail, `.${mailbox}`))
  return {
    port: door.port,
    fill: async (messages) => {
      // Connections of the pages before would fill the folders again.
      await endAll()
      for (const name of await readdir(mail)) await rm(join(mail, name), { recursive: true, force: true })
      for (const name of ["cur", "new", "tmp"]) await make(join(mail, name))
      const seconds = Math.floor(Date.now() / 1_000) - messages.length
      await Promise.all(
        messages.map((text, index) => writeFile(join(mail, "new", `${seconds + index}.M${index}.bench`), text))
      )
    },
    stored: async (mailbox) => {
      while (true) {
        const texts = await textsIn(folderOf(mailbox))
        if (texts !== null) return texts
      }
    },
    stop: async () => {
      door.stop()
      await endAll()
      await rm(state, { recursive: true, force: true })
    }
  }
}
