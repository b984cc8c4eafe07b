/** The session of the browser. The access token is only in memory; the refresh token is in a cookie
 * that scripts cannot read. If the browser provides locks, only one tab refreshes at a time.
 *
 *     starting ──▶ signed_in ──▶ expired ──▶ signed_in
 *         └──▶ signed_out ◀── (sign out, in any tab)
 */
import { ApiError } from '../api/api-error.ts'
import { openTokens, readMark, writeMark } from './session-store.ts'
import type { Tokens } from './session-store.ts'

type SessionState = 'starting' | 'signed_out' | 'signed_in' | 'expired'

interface SessionView {
  readonly state: SessionState
  /** Why the session ended, as a sentence; null if it has not, or if the user ended it here. */
  readonly reason: string | null
  /** The user and the organization of the session, or of the one that ended. */
  readonly owner: string | null
}

const lockName = 'sluice-refresh'
/** Maximum time to wait for another tab to refresh, in milliseconds. */
const lockTimeoutMs = 10_000
/**
 * Maximum time of one request. Two requests take less than the ten seconds for which the server
 * accepts the same refresh token again.
 */
const requestTimeoutMs = 4000
/** Time before its expiry at which a token is refreshed, so that requests in flight stay valid. */
const earlyMs = 10_000

/** Number of sessions that have ended. A refresh that began before the last end is discarded. */
let ended = 0
let view: SessionView = { state: 'starting', reason: null, owner: null }
let tokens: Tokens | null = null
let refreshing: Promise<void> | null = null
const listeners = new Set<() => void>()
const channel = new BroadcastChannel('sluice-session')

channel.addEventListener('message', () => end('signed_out', 'You signed out.'))

export const session = {
  get: (): SessionView => view,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

function show(next: SessionView): void {
  view = next
  for (const listener of listeners) listener()
}

function end(state: SessionState, reason: string | null): void {
  tokens = null
  ended += 1
  show({ state, reason, owner: view.owner })
}

export function keepTokens(next: Tokens): void {
  tokens = next
  writeMark(true)
  show({ state: 'signed_in', reason: null, owner: next.owner })
}

/** Resumes the session of the cookie, if this browser has one. */
export async function resumeSession(): Promise<void> {
  if (!readMark()) return end('signed_out', null)
  await refreshSession().catch((error: unknown) => {
    if (view.state === 'starting') end('signed_out', sentenceOf(error))
  })
}

/** Begins a session by logging in, or by creating an account. */
export async function signIn(credentials: object, path = '/v1/auth/login'): Promise<void> {
  keepTokens(await openTokens(path, { ...credentials, cookie: true }))
}

/** Ends the session in all tabs. The caller must have revoked it at the server. */
export function forgetSession(): void {
  writeMark(false)
  channel.postMessage('signed out')
  end('signed_out', null)
}

/** Returns the access token. Refreshes it first if it expires within `earlyMs`. */
export async function accessToken(): Promise<string> {
  if (tokens === null || tokens.expiresAtMs - earlyMs < Date.now()) await refreshSession()
  return tokens?.accessToken ?? ''
}

/** Refreshes the access token. Concurrent calls share one refresh. */
export function refreshSession(): Promise<void> {
  refreshing ??= refreshAlone().finally(() => {
    refreshing = null
  })
  return refreshing
}

async function refreshAlone(): Promise<void> {
  const endedBefore = ended
  try {
    await withLock(async () => {
      const next = await requestTokens().catch(retryOnce)
      if (ended === endedBefore) keepTokens(next)
    })
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 401) {
      writeMark(false)
      const state = view.state === 'starting' ? 'signed_out' : 'expired'
      end(state, sentenceOf(error))
    }
    throw error
  }
}

/**
 * Runs `work` while holding a lock that all tabs share. Browsers provide no locks on pages without
 * TLS, except on loopback; there, `work` runs without one.
 */
async function withLock(work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return await work()
  const signal = AbortSignal.timeout(lockTimeoutMs)
  await navigator.locks.request(lockName, { signal }, work)
}

function requestTokens(): Promise<Tokens> {
  return openTokens('/v1/auth/refresh', {}, AbortSignal.timeout(requestTimeoutMs))
}

/** Retries once if no response arrived, because the server may have processed the request. */
async function retryOnce(error: unknown): Promise<Tokens> {
  if (error instanceof ApiError && error.problem.status === 0) return await requestTokens()
  throw error
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
