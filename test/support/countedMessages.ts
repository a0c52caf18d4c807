/**
 * Counts what Playwright asks of the browsers that it starts.
 */
import type { ChildProcess } from "node:child_process"
import { createRequire } from "node:module"
import type { Writable } from "node:stream"

/**
 * Counts the messages to the browsers that Playwright starts from now on in this process, by their methods, until `stop` is
 * called. `hear` gets each as it is sent.
 */
export const install = (
  hear: (text: string) => void = () => undefined
): { readonly asked: Array<string>; readonly stop: () => void } => {
  const asked: Array<string> = []
  // Playwright calls what this object holds.
  const processes = createRequire(import.meta.url)("node:child_process")
  const { spawn } = processes
  processes.spawn = (...args: ReadonlyArray<unknown>): ChildProcess => {
    const child: ChildProcess = spawn(...args)
    const commands = child.stdio[3]
    if (Array.isArray(args[1]) && args[1].includes("--remote-debugging-pipe") && commands) {
      // It is the pipe that Playwright writes to.
      const writable = commands as Writable
      const write = writable.write.bind(writable)
      writable.write = (text: string) => {
        const method = text === "\0" ? null : JSON.parse(text).method
        // The browser is asked for its processes now and then.
        if (method !== null && method !== "SystemInfo.getProcessInfo") asked.push(method)
        hear(text)
        return write(text)
      }
    }
    return child
  }
  return {
    asked,
    stop: () => {
      processes.spawn = spawn
    }
  }
}
