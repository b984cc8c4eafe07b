/** Reports problems to the host's callbacks and, at most once a minute, on stderr. */
import type { DropReason } from './drop-reason.ts'
import type { Callbacks, Stage } from './options.ts'
import { createPacedCalls } from './paced-calls.ts'
import type { Platform } from './platform.ts'

/** Minimum time between two lines in milliseconds. The first line is printed immediately. */
const summaryMs = 60_000

export interface Notices {
  /** Reports a failure that affects `count` decisions; `hint` says what to do. */
  failed(stage: Stage, error: Error, about: { count: number; hint: string }): void
  dropped(reason: DropReason, count: number): void
  debug(line: () => string): void
  /** Makes pending callback calls immediately. */
  flush(): void
}

export interface NoticesSettings extends Pick<Callbacks, 'onError' | 'onDrop'> {
  readonly debug: boolean
}

type NoticesPlatform = Pick<Platform, 'clock' | 'startTimer' | 'warn'>

const dropHints: Partial<Record<DropReason, string>> = {
  queue_full: 'logged faster than sent; see queueMaxItems and queueMaxBytes',
  too_large: 'larger than maxDecisionBytes',
  invalid: 'a decision requires input and output',
  redact_error: 'redact failed'
}

export function createNotices(settings: NoticesSettings, platform: NoticesPlatform): Notices {
  const { onError, onDrop } = settings
  const errors = createPacedCalls<Error>(platform, (stage, count, error) =>
    onError?.(error, { stage: stage as Stage, count })
  )
  const drops = createPacedCalls<undefined>(platform, (reason, count) =>
    onDrop?.({ reason: reason as DropReason, count })
  )
  const report = createReporter(platform)

  return {
    failed(stage, error, { count, hint }) {
      if (onError !== undefined) errors.add(stage, count, error)
      report(`${error.message}: ${hint}`, {})
    },
    dropped(reason, count) {
      if (onDrop !== undefined) drops.add(reason, count, undefined)
      const hint = dropHints[reason]
      const text = hint === undefined ? undefined : `a decision was dropped (${reason}): ${hint}`
      report(text, { [reason]: count })
    },
    debug(line) {
      if (settings.debug) platform.warn(`sluice: ${line()}`)
    },
    flush() {
      errors.flush()
      drops.flush()
    }
  }
}

/** Prints the first problem immediately, then at most one summary per minute. */
function createReporter({ clock, warn }: NoticesPlatform) {
  const dropped = new Map<string, number>()
  let reportedAt = -Infinity
  let failures = 0
  let latest = ''

  return function report(text: string | undefined, drops: Record<string, number>): void {
    for (const reason in drops) {
      dropped.set(reason, (dropped.get(reason) ?? 0) + (drops[reason] ?? 0))
    }
    if (text === undefined) return
    failures++
    latest = text
    const now = clock()
    if (now - reportedAt < summaryMs) return
    const counts = Array.from(dropped, ([reason, count]) => `${reason} ${count}`).join(', ')
    const losses = counts === '' ? '' : `; dropped: ${counts}`
    warn(
      reportedAt === -Infinity
        ? `sluice: ${latest}`
        : `sluice: ${failures} problems since the last report${losses}; latest: ${latest}`
    )
    dropped.clear()
    failures = 0
    reportedAt = now
  }
}
