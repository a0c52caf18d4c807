/**
 * A browser that ends after any message, the same way each time: what a real one and Playwright told each other is recorded
 * once, and told to Playwright again by no browser, until the message after which there is nothing more.
 */
import { EventEmitter } from "node:events"
import { createRequire } from "node:module"
import { PassThrough } from "node:stream"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
}

/** What the browser told, and after how many commands; an answer has the key of its command. */
interface Told {
  readonly text: string
  readonly commands: number
  readonly answers: string | null
}

export interface Recording {
  readonly told: ReadonlyArray<Told>
  /** The names that Playwright gave to its worlds, which are others each time. */
  readonly worlds: ReadonlyArray<string>
  /** How many messages there were, of both ways. */
  readonly messages: number
}

// Playwright calls what this object holds.
const processes = createRequire(import.meta.url)("node:child_process")

/** The commands of one browser: each has a key, which is the same in every run. */
const commandKeys = () => {
  const counts = new Map<string, number>()
  return ({ method, sessionId = "" }: Message): string => {
    const kind = `${sessionId} ${method}`
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    return `${kind} ${count}`
  }
}

const worldsOf = (text: string): ReadonlyArray<string> => text.match(/__playwright_utility_world_page@[0-9a-f]+/g) ?? []

/** Has `spawn` in place of that of this process while `use` runs. */
const spawningBy = async <A>(
  spawn: (...args: ReadonlyArray<unknown>) => unknown,
  use: () => Promise<A>
): Promise<A> => {
  const before = processes.spawn
  processes.spawn = spawn
  try {
    return await use()
  } finally {
    processes.spawn = before
  }
}

/** Records the messages of the browser that `use` starts. */
export const record = async (use: () => Promise<unknown>): Promise<Recording> => {
  const { spawn } = processes
  const told: Array<Told> = []
  const worlds = new Set<string>()
  const keys = new Map<number, string>()
  await spawningBy((...args) => {
    const child = spawn(...args)
    const keyOf = commandKeys()
    const [, , , commands, reports] = child.stdio
    const write = commands.write.bind(commands)
    // Playwright writes a message, and then its end.
    commands.write = (text: string) => {
      if (text !== "\0") {
        const message: Message = JSON.parse(text)
        keys.set(message.id ?? 0, keyOf(message))
        for (const world of worldsOf(text)) worlds.add(world)
      }
      return write(text)
    }
    let rest = ""
    reports.on("data", (bytes: Buffer) => {
      const texts = `${rest}${bytes}`.split("\0")
      rest = texts.pop() ?? ""
      for (const text of texts) {
        const { id }: Message = JSON.parse(text)
        told.push({ text, commands: keys.size, answers: id === undefined ? null : (keys.get(id) ?? "") })
      }
    })
    return child
  }, use)
  return { told, worlds: [...worlds], messages: told.length + keys.size }
}

export interface Ending {
  /** The number of the message after which the browser has gone. */
  readonly after: number
  /** How many turns of the event loop later: what was told until then is still handled. */
  readonly turns: number
}

/** Lets `use` start the recorded browser, which ends. `result.gone` is whether it did. */
export const replay = async <A>(
  { told, worlds }: Recording,
  { after, turns }: Ending,
  use: () => Promise<A>
): Promise<{ readonly gone: boolean; readonly result: A }> => {
  let gone = false
  let endNow = (): void => {}

  const spawn = () => {
    const [output, errors, commands, reports] = [0, 1, 3, 4].map(() => new PassThrough())
    const child = Object.assign(new EventEmitter(), {
      // Beyond those that a system gives, so that nothing is killed.
      pid: 2_000_000_000,
      kill: () => true,
      stdio: [null, output, errors, commands, reports],
      stdout: output,
      stderr: errors
    })
    const keyOf = commandKeys()
    const ids = new Map<string, number>()
    const own: Array<string> = []
    let passed = 0
    let next = 0

    const end = (turn: number): void => {
      if (turn > 0) return void setImmediate(end, turn - 1)
      gone = true
      reports?.destroy()
      child.emit("exit", null, "SIGKILL")
      child.emit("close", null, "SIGKILL")
    }
    endNow = () => end(0)
    const pass = (): void => {
      passed += 1
      if (passed === after) end(turns)
    }
    const tell = (): void => {
      for (let one = told[next]; !gone && one !== undefined && one.commands <= ids.size; one = told[next]) {
        const message = JSON.parse(one.text)
        if (one.answers !== null) {
          const id = ids.get(one.answers)
          if (id === undefined) return
          message.id = id
        }
        next += 1
        const text = worlds.reduce((all, world, at) => all.replaceAll(world, own[at] ?? world), JSON.stringify(message))
        reports?.write(`${text}\0`)
        pass()
      }
    }
    Object.assign(commands ?? {}, {
      write: (text: string) => {
        if (gone || text === "\0") return true
        const message: Message = JSON.parse(text)
        for (const world of worldsOf(text)) if (!own.includes(world)) own.push(world)
        ids.set(keyOf(message), message.id ?? 0)
        pass()
        setImmediate(tell)
        return true
      }
    })
    return child
  }

  const result = await spawningBy(spawn, use)
  const ended = { gone, result }
  if (!gone) endNow()
  return ended
}
