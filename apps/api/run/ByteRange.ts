/**
 * The part of an artifact that a request asks for, as RFC 9110 has it.
 */
import type { Range } from "../../../core/run/artifact/ArtifactFiles.ts"

/**
 * Reads a `Range` header: one range of bytes, the whole file, or a range that cannot be satisfied. Several ranges,
 * other units and unreadable headers mean the whole file.
 */
export const read = (header: string | undefined, size: number): Range | "all" | "unsatisfiable" => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return "all"
  if (first === "") {
    const wanted = Math.min(Number(last), size)
    return wanted === 0 ? "unsatisfiable" : { start: size - wanted, end: size - 1 }
  }
  const start = Number(first)
  if (last !== "" && Number(last) < start) return "all"
  if (start >= size) return "unsatisfiable"
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) }
}
