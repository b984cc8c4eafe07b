/** Shows what a query has read. An error is shown above the last data, which stay. */
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { ProblemBox } from './problem-box.tsx'

interface FailingQuery {
  readonly error: Error | null
  readonly errorUpdatedAt: number
  readonly refetch: () => unknown
}

interface LoadedProps<T> {
  readonly query: FailingQuery & { readonly data: T | undefined; readonly isFetching: boolean }
  /** What is read, for example `the keys`. */
  readonly what: string
  readonly children: (data: T) => ReactNode
}

export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  const { data, isFetching } = query
  return (
    <>
      <QueryProblem query={query} />
      {data === undefined && isFetching && <Loading label={`Loading ${what}…`} />}
      {data !== undefined && children(data)}
    </>
  )
}

/** Shows the error of a query. The time until a retry starts again with each error. */
export function QueryProblem({ query }: { readonly query: FailingQuery }) {
  const { error, errorUpdatedAt, refetch } = query
  if (error === null) return null
  return <ProblemBox key={errorUpdatedAt} error={error} onRetry={() => void refetch()} />
}
