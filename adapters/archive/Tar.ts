/**
 * Archives in the format ustar of POSIX.1-1988, which every tar reads: plain files with short ASCII names, one after the
 * other, so that an archive can be written and read as a stream.
 */
import { Buffer } from "node:buffer"

const blockBytes = 512

/** The header of a file. Throws for a name that is not of 1 to 100 ASCII characters. */
export const header = (name: string, bytes: number, at: number): Uint8Array => {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new Error(`Cannot name a file of an archive "${name}"`)
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) =>
    `${Math.floor(value)
      .toString(8)
      .padStart(length - 1, "0")}\0`
  block.write(name, 0, "latin1")
  block.write(octal(0o600, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(bytes, 12), 124)
  block.write(octal(at / 1_000, 12), 136)
  block.write(" ".repeat(8), 148)
  block.write("0", 156)
  block.write("ustar\u000000", 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}

/** The padding after the content of a file, up to the next block. */
export const padding = (bytes: number): Uint8Array => new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)

/** The end of an archive, after the last file. */
export const end = new Uint8Array(2 * blockBytes)

/** Raised for bytes that are not an archive of this format, or that end too early. */
export class NoArchive extends Error {}

interface File {
  readonly name: string
  readonly bytes: number
}

/**
 * Reads an archive. `begin` is called for each file, and the function that it returns for each piece of the content.
 */
export const read = async (
  pieces: AsyncIterable<Uint8Array>,
  begin: (file: File) => (piece: Uint8Array) => void
): Promise<void> => {
  let held = Buffer.alloc(0)
  let left = 0
  let skip = 0
  let take: (piece: Uint8Array) => void = () => {}
  for await (const piece of pieces) {
    held = Buffer.concat([held, piece])
    for (;;) {
      const some = Math.min(left, held.length)
      if (some > 0) take(held.subarray(0, some))
      left -= some
      const passed = left > 0 ? 0 : Math.min(skip, held.length - some)
      skip -= passed
      held = held.subarray(some + passed)
      if (left > 0 || skip > 0 || held.length < blockBytes) break
      const block = held.subarray(0, blockBytes)
      held = held.subarray(blockBytes)
      if (block.every((byte) => byte === 0)) return
      const file = fileOf(block)
      left = file.bytes
      skip = padding(file.bytes).length
      take = begin(file)
    }
  }
  throw new NoArchive("the archive ends too early")
}

const fileOf = (block: Buffer): File => {
  const text = (from: number, length: number) => block.toString("latin1", from, from + length).split("\0")[0] ?? ""
  const bytes = Number.parseInt(text(124, 12), 8)
  if (text(257, 5) !== "ustar" || text(156, 1) !== "0" || !Number.isSafeInteger(bytes)) {
    throw new NoArchive("it is not an archive of a bundle")
  }
  return { name: text(0, 100), bytes }
}
