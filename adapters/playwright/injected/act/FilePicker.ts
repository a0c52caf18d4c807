/** Answers a page that asks for files by `showOpenFilePicker`, in its own world: by a field for files, whose dialog is known. */

/** Runs in every document before its own scripts. */
export const answerPicker = (): void => {
  const own = Reflect.get(window, "showOpenFilePicker")
  if (typeof own !== "function") return
  const aborted = () => new DOMException("The user aborted a request.", "AbortError")

  /** A file as the page gets it: it may be read, and not written to. */
  const handleOf = (file: File): object =>
    Object.defineProperties(Object.create(Reflect.get(window, "FileSystemFileHandle").prototype), {
      kind: { value: "file" },
      name: { value: file.name },
      getFile: { value: () => Promise.resolve(file) },
      isSameEntry: { value: (other: object) => Promise.resolve(Reflect.get(other, "name") === file.name) },
      queryPermission: { value: () => Promise.resolve("granted") },
      requestPermission: { value: () => Promise.resolve("granted") },
      createWritable: { value: () => Promise.reject(aborted()) }
    })

  const pick = (options: { readonly multiple?: boolean; readonly types?: ReadonlyArray<unknown> } = {}) =>
    new Promise((resolve, reject) => {
      const field = document.createElement("input")
      field.type = "file"
      field.multiple = options.multiple === true
      field.onchange = () => resolve([...(field.files ?? [])].map(handleOf))
      field.oncancel = () => reject(aborted())
      field.click()
    })
  Reflect.set(window, "showOpenFilePicker", new Proxy(own, { apply: (_target, _self, [options]) => pick(options) }))
}
