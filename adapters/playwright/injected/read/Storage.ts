/**
 * The storage of the site of a document.
 */

export const storageOf = () => {
  const all = (storage: Storage) =>
    Array.from({ length: storage.length }, (_, index) => {
      const key = storage.key(index) ?? ""
      return [key, storage.getItem(key) ?? ""] as const
    })
  return { origin: location.origin, local: all(localStorage), session: all(sessionStorage) }
}
