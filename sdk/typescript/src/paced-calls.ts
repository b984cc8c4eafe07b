/** Calls the host's callbacks asynchronously and at a limited rate. */
import type { Platform } from './platform.ts'

const intervalMs = 1000

export interface PacedCalls<Detail> {
  /**
   * Schedules a call. At most one call per key is made each second, with the sum of the counts and
   * the latest detail.
   */
  add(key: string, count: number, detail: Detail): void
  /** Makes pending calls immediately. */
  flush(): void
}

interface Waiting<Detail> {
  count: number
  detail: Detail | undefined
  calledAt: number
  cancel: (() => void) | undefined
}

type Timers = Pick<Platform, 'clock' | 'startTimer'>

/** Errors and rejections of `call` are ignored. */
export function createPacedCalls<Detail>(
  platform: Timers,
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
      // An error in the host's callback must not disturb the host.
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
