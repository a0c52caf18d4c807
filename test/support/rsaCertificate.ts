/** Certificates of test authorities. */
import { type KeyObject, sign } from "node:crypto"

const element = (tag: number, content: Uint8Array): Buffer => {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...elements: ReadonlyArray<Buffer>) => element(0x30, Buffer.concat(elements))
const time = (at: number) => element(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\..*/g, "")}Z`))

/** A self-signed certificate of an RSA key in PEM, with SHA-256, valid for a day around an instant. */
export const certificateOf = (name: string, publicKey: KeyObject, privateKey: KeyObject, at: number): string => {
  const sha256WithRsa = sequence(Buffer.from("06092a864886f70d01010b", "hex"), Buffer.from("0500", "hex"))
  const subject = sequence(element(0x31, sequence(Buffer.from("0603550403", "hex"), element(0x0c, Buffer.from(name)))))
  const toSign = sequence(
    element(0xa0, Buffer.from("020102", "hex")),
    element(0x02, Buffer.from([1])),
    sha256WithRsa,
    subject,
    sequence(time(at - 43_200_000), time(at + 43_200_000)),
    subject,
    publicKey.export({ format: "der", type: "spki" })
  )
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", toSign, privateKey)])
  const der = sequence(toSign, sha256WithRsa, element(0x03, signature))
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`
}
