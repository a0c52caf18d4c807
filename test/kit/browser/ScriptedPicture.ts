/**
 * Pictures of a scripted page: grey ones, of the size that a real picture would have.
 */

const bytesOf = (marker: number, ...content: ReadonlyArray<number>): ReadonlyArray<number> => {
  const length = content.length + 2
  return [0xff, marker, length >> 8, length & 0xff, ...content]
}

/** A code table in which one bit stands for the only symbol: no difference to the block before, and nothing else in it. */
const codes = (kind: number) => bytesOf(0xc4, kind << 4, 1, ...new Array<number>(15).fill(0), 0)

/** A grey JPEG of a size in pixels. */
export const jpeg = (
  width: number,
  height: number
): { readonly bytes: Uint8Array; readonly mediaType: "image/jpeg" } => {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  const head = [
    ...[0xff, 0xd8],
    ...bytesOf(0xdb, 0, ...new Array<number>(64).fill(1)),
    ...bytesOf(0xc0, 8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0),
    ...codes(0),
    ...codes(1),
    ...bytesOf(0xda, 1, 1, 0, 0, 63, 0)
  ]
  // Two bits a block, both 0. What is left of the last byte is filled with ones.
  const data = new Uint8Array(Math.ceil(blocks / 4))
  if (blocks % 4 > 0) data[data.length - 1] = 0xff >> (2 * (blocks % 4))
  return { bytes: new Uint8Array([...head, ...data, 0xff, 0xd9]), mediaType: "image/jpeg" }
}
