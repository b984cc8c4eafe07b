/** Reads resources of the API for components, and changes them. */
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { retryAfterOf } from './api-error.ts'
import { readJson } from './api.ts'
import type { ApiRequest } from './api.ts'
import type { PageOf } from './wire.ts'

interface ReadOptions {
  /** Interval between reads while the page is visible. */
  readonly pollMs?: number
}

/** Reads the resource at a path. A null path reads nothing. */
export function useRead<T>(path: string | null, { pollMs }: ReadOptions = {}) {
  const queryKey = ['read', path]
  const query = useQuery({
    queryKey,
    enabled: path !== null,
    queryFn: ({ signal }) => readJson<T>({ path: path ?? '', signal }),
    refetchInterval: ({ state }) => intervalOf(pollMs, state.error),
    placeholderData: keepPreviousData
  })
  const data = useKept<T>(query, queryKey)
  return { ...query, data: path === null ? undefined : data }
}

/** Returns the polling interval: at least the Retry-After of the last error. */
function intervalOf(pollMs: number | undefined, error: unknown): number | false {
  return pollMs === undefined ? false : Math.max(pollMs, retryAfterOf(error) * 1000)
}

interface KeptQuery<T> {
  readonly data: T | undefined
  readonly isSuccess: boolean
  readonly isPlaceholderData: boolean
}

/** Returns the data. While a path has none, returns the data of the last path that was read. */
function useKept<T>({ data, isSuccess, isPlaceholderData }: KeptQuery<T>, key: readonly unknown[]) {
  const queries = useQueryClient()
  const readKey = useRef(key)
  if (isSuccess && !isPlaceholderData) readKey.current = key
  return data ?? queries.getQueryData<T>(readKey.current)
}

/** Reads a list page by page. The path contains the filters but no cursor. */
export function usePages<T>(path: string, { pollMs }: ReadOptions = {}) {
  const queryKey = ['read', path, 'pages']
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      readJson<PageOf<T>>({ path: withParameter(path, 'cursor', pageParam), signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
    refetchInterval: ({ state }) => intervalOf(pollMs, state.error),
    placeholderData: keepPreviousData
  })
  const data = useKept(query, queryKey)
  const pages = data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages])
  return { ...query, data, rows }
}

/** Sends changes. After each one, even if it failed, rereads the resources keyed by `read`. */
export function useChange<T = unknown>() {
  const queries = useQueryClient()
  return useMutation<T, Error, ApiRequest>({
    mutationFn: (request) => readJson<T>(request),
    // Discards responses when they are no longer used, because some contain secrets.
    gcTime: 0,
    onSettled: () => queries.invalidateQueries({ queryKey: ['read'] })
  })
}

function withParameter(path: string, name: string, value: string | null): string {
  if (value === null) return path
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
}
