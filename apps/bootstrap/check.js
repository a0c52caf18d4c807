// @ts-check
import { spawn } from "node:child_process"
import { setPriority } from "node:os"
import { join } from "node:path"
import { root, withNode } from "./run.js"
import { say } from "./say.js"
import { unlinted } from "./unlinted.js"

/** Arguments of the type checker. It keeps its results in `.cache`, so that the next check only reads changed files. */
export const types = [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", root]

/** The type checker collects its garbage less often: a fifth of its processor time, for a sixth more memory. */
export const compiling = { GOGC: "400" }

/** Arguments of the formatter and linter. */
const lint = [join(root, "node_modules", "@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings"]

/**
 * Checks types, format and lint at the same time, and returns the exit code. Files that the linter has accepted are left
 * out.
 *
 * @param {string} node
 * @returns {Promise<number>}
 */
export const check = async (node) => {
  const codes = await Promise.all([shown(node, types, { ...compiling, ...withNode(node) }), lintChanged(node)])
  return codes.every((code) => code === 0) ? 0 : 1
}

/**
 * Checks the format of files that the linter has not accepted, and returns the exit code.
 *
 * @param {string} node
 * @param {Parameters<typeof shown>[3] & { readonly isAgain?: boolean }} [options] As for `shown`, and whether all files are checked again.
 */
export const lintChanged = async (node, { isAgain = false, ...options } = {}) => {
  const { accept, files } = unlinted(root, join(root, ".cache", "linted.json"))
  if (files.length === 0 && !isAgain) return 0
  // A long list does not fit into one command.
  const some = isAgain || files.length > 300 ? [] : files
  const args = [...lint, "--no-errors-on-unmatched", "--files-ignore-unknown=true", ...some]
  const code = await shown(node, args, withNode(node), options).catch(() => null)
  if (code === 0) accept()
  return code
}

/**
 * Runs a program and shows its output after its end, so that the outputs of two programs do not mix. Returns its exit code.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {NodeJS.ProcessEnv} env
 * @param {{ readonly title?: string, readonly priority?: number }} [options] A line that is shown before its output, and
 * the priority for the processor.
 * @returns {Promise<number | null>}
 */
export const shown = (program, args, env, { priority = 0, title = "" } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    if (child.pid !== undefined && priority !== 0) setPriority(child.pid, priority)
    /** @type {Buffer[]} */
    const output = []
    child.stdout.on("data", (piece) => output.push(piece))
    child.stderr.on("data", (piece) => output.push(piece))
    child.on("error", reject)
    child.on("close", (code) => {
      if (title !== "") say(title)
      process.stdout.write(Buffer.concat(output))
      resolve(code)
    })
  })
