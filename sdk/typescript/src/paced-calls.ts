/** Calls to the host's own functions: never within a call of the host, and not too often. */
import type { Platform } from './platform.ts'

const intervalMs = 1000

export interface PacedCalls<Detail> {
  /** At most one call a second for each key: counts are added up, the latest detail is told. */
  add(key: string, count: number, detail: Detail): void
  /** Makes at once the calls that wait. */
  flush(): void
}

interface Waiting<Detail> {
  count: number
  detail: Detail | undefined
  calledAt: number
  cancel: (() => void) | undefined
}

type Surroundings = Pick<Platform, 'clock' | 'startTimer'>

/** `call` may throw or reject: nobody hears of it. */
export function createPacedCalls<Detail>(
  platform: Surroundings,
  call: (key: string, count: number, detail: Detail) => unknown
): PacedCalls<Detail> {
  const waiting = new Map<string, Waiting<Detail>>()

  function deliver(key: string, calls: Waiting<Detail>): void {
    const { count, detail } = calls
    calls.cancel?.()
    if (count === 0) return
    Object.assign(calls, { count: 0, cancel: undefined, calledAt: platform.clock() })
    try {
      Promise.resolve(call(key, count, detail as Detail)).catch(() => undefined)
    } catch {
      // It is the host's own function, and the host is not to be disturbed.
    }
  }

  function add(key: string, count: number, detail: Detail): void {
    let calls = waiting.get(key)
    if (calls === undefined) {
      calls = { count: 0, detail, calledAt: -Infinity, cancel: undefined }
      waiting.set(key, calls)
    }
    calls.count += count
    calls.detail = detail
    if (calls.cancel !== undefined) return
    const wait = calls.calledAt + intervalMs - platform.clock()
    calls.cancel = platform.startTimer(deliver.bind(null, key, calls), Math.max(0, wait))
  }

  function flush(): void {
    for (const [key, calls] of waiting) deliver(key, calls)
  }
  return { add, flush }
}
