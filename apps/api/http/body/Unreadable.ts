/**
 * Answers bytes that are not an HTTP request.
 *
 * The connection stays open for a moment after the answer, and further bytes are read and dropped: a connection that is
 * closed with unread bytes is reset, and the client may lose the answer.
 */
import { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** How long a connection stays open for its client to read the answer, in milliseconds. */
const lingerMillis = 2_000

const answers: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", "The headers are larger than 16 KiB"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "The extensions of a chunk are larger than 16 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request did not arrive in time"]
}

const unreadable = [400, "Bad Request", "The request is not valid HTTP"] as const

/** Whether an answer is in progress on a connection, into which nothing else may be written. */
const isAnswering = (socket: Duplex): boolean => {
  const message: unknown = "_httpMessage" in socket ? socket._httpMessage : null
  return message instanceof ServerResponse && message.headersSent
}

const answered = new WeakSet<Duplex>()

/** An error of the HTTP parser, with the bytes in which it was found. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** A client takes a body in the answer to HEAD for the start of another answer (RFC 9110, 9.3.2). */
const isHead = ({ rawPacket }: ParserError): boolean => rawPacket?.toString("latin1", 0, 5) === "HEAD "

/** Handles the `clientError` of a server. */
export const answer = (error: ParserError, socket: Duplex): void => {
  // The parser complains again of each piece that still arrives.
  if (answered.has(socket)) return
  answered.add(socket)
  if (!socket.writable || error.code === "ECONNRESET" || isAnswering(socket)) {
    socket.destroy(error)
    return
  }
  const [statusCode, reason, message] = answers[error.code ?? ""] ?? unreadable
  const body = JSON.stringify({ statusCode, message, error: reason })
  const head = [
    `HTTP/1.1 ${statusCode} ${reason}`,
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${isHead(error) ? "" : body}`)
  socket.removeAllListeners("data")
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMillis).unref()
}
