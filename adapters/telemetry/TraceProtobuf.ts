/**
 * Collects spans as OTLP protobuf. Each is encoded when it ends, so that nothing of it stays in memory but its bytes:
 * spans that are kept as objects until they are sent cost several times as much, mostly in garbage collections.
 *
 * Messages are written backwards, so that the length of the content is known before the length prefix is written. The last
 * span is the first one of its batch.
 */
import { HttpBody } from "effect/http"
import type { OtlpResource } from "effect/observability"
import type { EndedSpan } from "../../core/runtime/Trace.ts"
import { errorType, failed, interrupted, kinds, type SpanBatch, scope, unset } from "./SpanBatch.ts"

const varint = 0
const fixed64 = 1
const lengthDelimited = 2

/** Shorter texts are copied character by character, which takes less time than two calls out of JavaScript. */
const shortText = 64

/** The value of a hexadecimal digit by its code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

const sized = (length: number) => {
  const bytes = Buffer.allocUnsafeSlow(length)
  return { bytes, view: new DataView(bytes.buffer) }
}

class Writer {
  private bytes: Buffer
  private view: DataView
  /** The start of the written bytes, which end at the end of the buffer. */
  private start: number

  constructor() {
    const { bytes, view } = sized(65_536)
    this.bytes = bytes
    this.view = view
    this.start = bytes.length
  }

  /** A copy of what was written. */
  written(): Uint8Array {
    return new Uint8Array(this.bytes.subarray(this.start))
  }

  clear(): void {
    this.start = this.bytes.length
  }

  /** A position from which a length is counted. */
  get end(): number {
    return this.bytes.length - this.start
  }

  private room(wanted: number): void {
    if (wanted <= this.start) return
    const held = this.bytes.length - this.start
    const larger = sized(Math.max(this.bytes.length * 2, held + wanted))
    this.bytes.copy(larger.bytes, larger.bytes.length - held, this.start)
    this.start = larger.bytes.length - held
    this.bytes = larger.bytes
    this.view = larger.view
  }

  /** A number up to 2^53. */
  private number(value: number): void {
    this.room(8)
    if (value < 128) {
      this.bytes[--this.start] = value
      return
    }
    let length = 1
    for (let left = value; left > 127; left = Math.floor(left / 128)) length++
    this.start -= length
    let left = value
    for (let at = 0; at < length - 1; at++) {
      this.bytes[this.start + at] = (left % 128) | 0x80
      left = Math.floor(left / 128)
    }
    this.bytes[this.start + length - 1] = left
  }

  private tag(field: number, type: number): void {
    this.number((field << 3) | type)
  }

  /** An integer that a number holds exactly. */
  integer(field: number, value: number): void {
    if (value >= 0) this.number(value)
    else this.negative(BigInt.asUintN(64, BigInt(value)))
    this.tag(field, varint)
  }

  private negative(value: bigint): void {
    this.room(10)
    this.start -= 10
    let left = value
    for (let at = 0; at < 10; at++, left >>= 7n) {
      this.bytes[this.start + at] = Number(left & 127n) | (at < 9 ? 0x80 : 0)
    }
  }

  double(field: number, value: number): void {
    this.room(8)
    this.start -= 8
    this.view.setFloat64(this.start, value, true)
    this.tag(field, fixed64)
  }

  nanos(field: number, value: bigint): void {
    this.room(8)
    this.start -= 8
    this.view.setBigUint64(this.start, value, true)
    this.tag(field, fixed64)
  }

  text(field: number, value: string): void {
    const length = value.length < shortText && this.ascii(value) ? value.length : this.utf8(value)
    this.start -= length
    this.length(field, length)
  }

  /** Writes a text before `start` that has one byte for each character; `false` if it has not. */
  private ascii(value: string): boolean {
    this.room(value.length)
    const begin = this.start - value.length
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return false
      this.bytes[begin + at] = code
    }
    return true
  }

  /** Writes a text before `start`, and answers its length in bytes. */
  private utf8(value: string): number {
    const length = Buffer.byteLength(value)
    this.room(length)
    this.bytes.write(value, this.start - length, length)
    return length
  }

  /** An id, in hexadecimal. */
  id(field: number, value: string): void {
    const length = value.length >> 1
    this.room(length)
    this.start -= length
    for (let at = 0; at < length; at++) {
      const high = digits[value.charCodeAt(at * 2)] ?? 0
      const low = digits[value.charCodeAt(at * 2 + 1)] ?? 0
      this.bytes[this.start + at] = (high << 4) | low
    }
    this.length(field, length)
  }

  /** Closes a message that was begun at `end`. */
  message(field: number, end: number): void {
    this.length(field, this.end - end)
  }

  private length(field: number, length: number): void {
    this.number(length)
    this.tag(field, lengthDelimited)
  }
}

const writeAttribute = (out: Writer, field: number, key: string, value: string | number | boolean): void => {
  const end = out.end
  if (typeof value === "string") out.text(1, value)
  else if (typeof value === "boolean") out.integer(2, value ? 1 : 0)
  else if (Number.isSafeInteger(value)) out.integer(3, value)
  else out.double(4, value)
  out.message(2, end)
  out.text(1, key)
  out.message(field, end)
}

const writeSpan = (out: Writer, span: EndedSpan): void => {
  const end = out.end
  out.integer(3, span.failure === null ? unset : failed)
  if (span.failure !== null) out.text(2, span.failure)
  out.message(15, end)
  for (const key in span.attributes) {
    const value = span.attributes[key] ?? null
    if (value !== null) writeAttribute(out, 9, key, value)
  }
  if (span.failure !== null) writeAttribute(out, 9, errorType, span.failure)
  if (span.interrupted) writeAttribute(out, 9, interrupted, true)
  out.nanos(8, span.to)
  out.nanos(7, span.from)
  out.integer(6, kinds[span.kind])
  out.text(5, span.name)
  if (span.parentSpanId !== null) out.id(4, span.parentSpanId)
  out.id(2, span.spanId)
  out.id(1, span.traceId)
  out.message(2, end)
}

/** A batch whose spans are all of one resource. */
export const make = (resource: OtlpResource.Resource): SpanBatch => {
  const out = new Writer()
  let size = 0
  const head = (): void => {
    const spans = out.end
    out.text(1, scope)
    out.message(1, spans)
    out.message(2, 0)
    const ended = out.end
    for (const { key, value } of resource.attributes) {
      const [scalar] = Object.values(value)
      writeAttribute(out, 1, key, typeof scalar === "number" || typeof scalar === "boolean" ? scalar : String(scalar))
    }
    out.message(1, ended)
    out.message(1, 0)
  }
  return {
    get size() {
      return size
    },
    add: (span) => {
      writeSpan(out, span)
      size++
    },
    take: () => {
      head()
      const bytes = out.written()
      out.clear()
      size = 0
      return HttpBody.uint8Array(bytes, "application/x-protobuf")
    }
  }
}
