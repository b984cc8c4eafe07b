/** Forms. The server validates; its errors appear at the fields that they name. */
import { createContext, use, useId, useState } from 'react'
import type { ComponentProps, FormEvent, ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ProblemBox } from './problem-box.tsx'

const FormError = createContext<Error | null>(null)

interface FormProps {
  /** The name of the action, on the button. */
  readonly action: string
  readonly isDisabled?: boolean
  readonly onSubmit: (values: FormValues) => Promise<unknown>
  /** A second action that changes nothing, for example a preview. The form stays open. */
  readonly trial?: Pick<FormProps, 'action' | 'onSubmit'> | undefined
  readonly onDone?: (() => void) | undefined
  readonly onCancel?: () => void
  /** Default: Cancel. */
  readonly cancel?: string
  readonly children: ReactNode
}

export function Form(props: FormProps) {
  const { action, isDisabled = false, onSubmit, trial, onDone, onCancel, cancel, children } = props
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    const isTrial = submitter?.getAttribute('name') === 'trial'
    const act = isTrial && trial !== undefined ? trial.onSubmit : onSubmit
    setIsBusy(true)
    setError(null)
    try {
      await act(valuesOf(event.currentTarget))
      if (!isTrial) onDone?.()
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <FormError value={error}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {children}
        {error !== null && <ProblemBox error={error} />}
        <p className="actions">
          {trial !== undefined && (
            <button type="submit" name="trial" disabled={isBusy}>
              {trial.action}
            </button>
          )}
          <button type="submit" className="primary" disabled={isBusy || isDisabled}>
            {action}
          </button>
          {onCancel !== undefined && (
            <button type="button" onClick={onCancel}>
              {cancel ?? 'Cancel'}
            </button>
          )}
        </p>
      </form>
    </FormError>
  )
}

export interface FormValues {
  /** Returns the text of a field, without spaces at its ends. */
  text(name: string): string
  /** Returns the text as it is, for passwords. */
  exact(name: string): string
  /** Returns the text, or null if the field is empty. */
  textOrNull(name: string): string | null
  /** Returns the number, or null if the field is empty. */
  numberOrNull(name: string): number | null
  /** Returns the values of all checked boxes with this name. */
  all(name: string): string[]
  /** Returns the parsed JSON of a field. */
  json(name: string): object
}

function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form)
  const all = (name: string): string[] =>
    data.getAll(name).filter((value) => typeof value === 'string')
  const exact = (name: string): string => all(name)[0] ?? ''
  const text = (name: string): string => exact(name).trim()
  const textOrNull = (name: string): string | null => (text(name) === '' ? null : text(name))
  const numberOrNull = (name: string): number | null =>
    text(name) === '' ? null : Number(text(name))
  const json = (name: string): object => parseInput(text(name))
  return { text, exact, textOrNull, numberOrNull, all, json }
}

/** @throws {ApiError} if the text is not JSON */
function parseInput(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch (error) {
    const [title, code] = ['The text is not JSON', 'malformed_json']
    throw new ApiError({ title, code, detail: String(error), status: 0, retryable: false })
  }
}

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'children'> {
  readonly label: string
  /** The member of the request that the field sets; the server's errors name it. */
  readonly name: string
  readonly hint?: string
  /** Renders another control than an input, for example a select. */
  readonly control?: (props: ControlProps) => ReactNode
}

interface ControlProps {
  readonly name: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

export function Field({ label, hint, control, ...input }: FieldProps) {
  const { name } = input
  const noteId = useId()
  const errors = useFieldErrors(name)
  const props = { name, 'aria-invalid': errors.length > 0, 'aria-describedby': noteId }
  return (
    <div className="field">
      <label>
        {label}
        {control === undefined ? <input {...input} {...props} /> : control(props)}
      </label>
      <p id={noteId} className="quiet">
        {hint}
        {errors.map((sentence) => (
          <span key={sentence} className="field-error">
            {sentence}
          </span>
        ))}
      </p>
    </div>
  )
}

type JsonFieldProps = Pick<FieldProps, 'label' | 'name' | 'hint'> & { readonly value: object }

/** A field for JSON. The form shows the errors of the server next to it. */
export function JsonField({ value, ...field }: JsonFieldProps) {
  const defaultValue = JSON.stringify(value, null, 2)
  const text = { defaultValue, rows: defaultValue.split('\n').length + 2, className: 'code' }
  return <Field {...field} control={(props) => <textarea {...text} {...props} />} />
}

function useFieldErrors(name: string): readonly string[] {
  const error = use(FormError)
  if (!(error instanceof ApiError)) return []
  const { errors = [] } = error.problem
  const isOfField = (pointer: string): boolean =>
    pointer === `/${name}` || pointer.startsWith(`/${name}/`)
  return errors.filter(({ pointer }) => isOfField(pointer)).map(({ detail }) => detail)
}
