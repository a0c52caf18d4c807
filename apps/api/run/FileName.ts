/**
 * Names of files that come from outside, made fit to be offered to whoever downloads them.
 */

const maxCharacters = 150

/** Marks that change how a name looks or where it leads: controls, directions of writing, and separators of folders. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

/** Names that Windows keeps for devices. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** A name without anything that could lead elsewhere or look like another one; never empty, its extension kept. */
export const safe = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1) ?? ""
  const clean = last.replace(unsafe, "_").replace(/^[.\s]+|[.\s]+$/g, "")
  const known = clean === "" ? "file" : devices.test(clean) ? `_${clean}` : clean
  const characters = [...known]
  if (characters.length <= maxCharacters) return known
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(known)?.[0] ?? ""
  return characters.slice(0, maxCharacters - extension.length).join("") + extension
}

/** The header that has a file saved under its name, as RFC 6266 writes it. */
export const attachment = (name: string): string => {
  const known = safe(name)
  const plain = known.replace(/[^\x20-\x7e]|%/g, "_")
  const encoded = encodeURIComponent(known).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
