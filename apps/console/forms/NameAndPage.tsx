/** The two fields of a new workflow: its name, and the page that it opens first. */
import { Field } from "./Field.tsx"

export const NameAndPage = ({
  hint,
  name,
  onName,
  onUrl,
  problems,
  url
}: {
  readonly name: string
  readonly url: string
  readonly hint: string
  readonly problems: { readonly name?: string | undefined; readonly url?: string | undefined }
  readonly onName: (name: string) => void
  readonly onUrl: (url: string) => void
}) => (
  <>
    <Field label="Name" problem={problems.name}>
      <input value={name} onInput={({ currentTarget }) => onName(currentTarget.value)} />
    </Field>
    <Field label="First page" hint={hint} problem={problems.url}>
      <input
        type="url"
        placeholder="https://"
        value={url}
        onInput={({ currentTarget }) => onUrl(currentTarget.value)}
      />
    </Field>
  </>
)
