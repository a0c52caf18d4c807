/** The hashes of the inline scripts of a page, for its content security policy. */
import { createHash } from "node:crypto"
import { Parser } from "htmlparser2"

/** The sources of `script-src` that allow exactly the inline scripts of a page. */
export const hashesOf = (page: string): ReadonlyArray<string> => {
  const hashes: Array<string> = []
  let script: string | null = null
  const parser = new Parser({
    onopentag: (name, { src }) => {
      script = name === "script" && src === undefined ? "" : null
    },
    ontext: (text) => {
      if (script !== null) script += text
    },
    onclosetag: () => {
      if (script !== null) hashes.push(`'sha256-${createHash("sha256").update(script).digest("base64")}'`)
      script = null
    }
  })
  parser.end(page)
  return hashes
}
