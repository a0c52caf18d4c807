/** Writes time zone files with laws that are made up. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A change of the offset to so many seconds, at an instant in seconds. */
export interface Change {
  readonly at: number
  readonly offset: number
}

/** A file of the second version: the first offset, its changes, and the rule from the last one on. */
export const zoneFile = (first: number, changes: ReadonlyArray<Change>, rule: string): Uint8Array => {
  const offsets = [first, ...changes.map(({ offset }) => offset)]
  const header = (times: number, types: number) => {
    const bytes = Buffer.alloc(44)
    bytes.write("TZif2", 0, "latin1")
    for (const [index, count] of [0, 0, 0, times, types, 4].entries()) bytes.writeUInt32BE(count, 20 + index * 4)
    return bytes
  }
  const type = (offset: number) => {
    const bytes = Buffer.alloc(6)
    bytes.writeInt32BE(offset, 0)
    return bytes
  }
  const time = ({ at }: Change) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(BigInt(at))
    return bytes
  }
  const name = Buffer.from("MAD\0")
  return Buffer.concat([
    header(0, 1),
    type(first),
    name,
    header(changes.length, offsets.length),
    ...changes.map(time),
    Buffer.from(changes.map((_, index) => index + 1)),
    ...offsets.map(type),
    name,
    Buffer.from(`\n${rule}\n`)
  ])
}

/** A folder of zones by their names, of a release. */
export const writeZones = (folder: string, version: string, zones: Readonly<Record<string, Uint8Array>>): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "tzdata.zi"), `# version ${version}\n`)
  for (const [name, bytes] of Object.entries(zones)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
}
