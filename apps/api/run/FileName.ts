/**
 * Names of files from outside the service, made safe for download headers.
 */
import * as FileNames from "../../../core/browser/file/FileNames.ts"

/** The header that has a file saved under its name, made safe, as RFC 6266 writes it. */
export const attachment = (name: string): string => {
  // One half of a surrogate pair cannot be written in UTF-8.
  const known = FileNames.safe(name, "file").replace(/\p{Cs}/gu, "_")
  const plain = known.replace(/[^\x20-\x7e]|%/g, "_")
  const encoded = encodeURIComponent(known).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
