/**
 * Sanitizes file names from outside, so that they are safe to write, to serve and to show.
 */

/** Longer names are cut, before their extension. */
const maxLength = 150

/**
 * Folder separators, characters that file systems refuse, control characters, and bidirectional control characters.
 */
const refused = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Reserved device names of Windows, with any extension. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** The last part of a name or path as a portable file name; `fallback` where nothing is left of it. */
export const safe = (given: string, fallback = "download"): string => {
  const last = given.normalize("NFC").split(/[/\\]/).at(-1) ?? ""
  const name = last
    .replace(refused, "")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, "")
    .replace(devices, "_$1")
  if (name === "") return fallback
  const dot = name.lastIndexOf(".")
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ""
  return [...name].length <= maxLength
    ? name
    : `${[...name].slice(0, maxLength - extension.length).join("")}${extension}`.replace(
        /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/g,
        ""
      )
}

/** Types by extension, of documents that browsers show or save and never run. */
const types: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  log: "text/plain",
  json: "application/json",
  zip: "application/zip",
  gz: "application/gzip",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  eml: "message/rfc822",
  ics: "text/calendar"
}

/** The media type of the extension of a name; `application/octet-stream` for others. */
export const mediaType = (name: string): string => {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""
  return (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? "application/octet-stream"
}
