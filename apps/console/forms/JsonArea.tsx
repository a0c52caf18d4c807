/** A field for JSON: with the numbers of its lines, and what is wrong at which line as it is typed. */
import { useId, useRef } from "preact/hooks"
import { jsonProblem } from "./JsonProblem.ts"

export const JsonArea = ({
  onText,
  value,
  "aria-describedby": described,
  "aria-invalid": isInvalid,
  ...rest
}: {
  readonly value: string
  readonly onText: (text: string) => void
  readonly rows: number
  readonly id?: string
  readonly readOnly?: boolean
  readonly "aria-label"?: string
  readonly "aria-describedby"?: string
  readonly "aria-invalid"?: boolean | "true"
}) => {
  const id = useId()
  const numbers = useRef<HTMLPreElement>(null)
  const problem = value.trim() === "" ? null : jsonProblem(value)
  const count = value.split("\n").length
  return (
    <>
      <div class="json-area">
        <pre ref={numbers} aria-hidden="true">
          {Array.from({ length: count }, (_, at) => at + 1).join("\n")}
        </pre>
        <textarea
          {...rest}
          wrap="off"
          spellcheck={false}
          value={value}
          aria-describedby={
            [described, problem === null ? undefined : id].filter((one) => one !== undefined).join(" ") || undefined
          }
          aria-invalid={problem !== null || isInvalid === true || isInvalid === "true"}
          onScroll={({ currentTarget }) => {
            if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop
          }}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
      {problem !== null && (
        <p class="wrong" id={id} role="status">
          {problem}
        </p>
      )}
    </>
  )
}
