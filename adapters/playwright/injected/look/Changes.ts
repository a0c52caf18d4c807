/**
 * How often a document has changed.
 */

let count = 0
let isWatched = false

/** The number of changes since it was asked first, and 1 more while the document loads. */
export const changes = (): number => {
  if (!isWatched) {
    isWatched = true
    new MutationObserver(() => {
      count += 2
    }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true })
  }
  return document.readyState === "complete" ? count : count + 1
}
