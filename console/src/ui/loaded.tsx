/** Shows what a query has read. An error is shown above the last data, which stay. */
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { ProblemBox } from './problem-box.tsx'

interface LoadedProps<T> {
  readonly query: {
    readonly data: T | undefined
    readonly error: Error | null
    readonly errorUpdatedAt: number
    readonly isFetching: boolean
    readonly refetch: () => unknown
  }
  /** What is read, for example `the keys`. */
  readonly what: string
  readonly children: (data: T) => ReactNode
}

export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  const { data, error, errorUpdatedAt, isFetching, refetch } = query
  return (
    <>
      {error !== null && (
        <ProblemBox key={errorUpdatedAt} error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && isFetching && <Loading label={`Loading ${what}…`} />}
      {data !== undefined && children(data)}
    </>
  )
}
