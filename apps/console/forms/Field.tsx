/** A labelled field of a form, with the problem of its value beside it. */
import type { ComponentChildren } from "preact"
import { cloneElement, isValidElement, type VNode } from "preact"
import { useId } from "preact/hooks"

export const Field = ({
  children,
  hint,
  label,
  problem
}: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly problem?: string | null | undefined
  /** One control. It gets its id and the ids of its descriptions. */
  readonly children: ComponentChildren
}) => {
  const id = useId()
  const isWrong = problem !== undefined && problem !== null && problem !== ""
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [`${id}-problem`] : [])].join(" ")
  const control = isValidElement(children)
    ? cloneElement(children as VNode<Record<string, unknown>>, {
        id,
        ...(described === "" ? {} : { "aria-describedby": described }),
        ...(isWrong ? { "aria-invalid": "true" } : {})
      })
    : children
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isWrong && (
        <p class="wrong" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
