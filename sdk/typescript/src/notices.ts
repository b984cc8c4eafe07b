/** What a client tells: to the host's callbacks, and to whoever reads what the program prints. */
import type { DropReason } from './drop-reason.ts'
import type { Callbacks, Stage } from './options.ts'
import { createPacedCalls } from './paced-calls.ts'
import type { Platform } from './platform.ts'

/** Between two lines about what goes wrong; the first one comes at once. */
const summaryMs = 60_000

export interface Notices {
  /** Something went wrong with `count` decisions; `hint` says what to do. */
  failed(stage: Stage, error: Error, about: { count: number; hint: string }): void
  dropped(reason: DropReason, count: number): void
  debug(line: () => string): void
  /** Makes the calls to callbacks that wait. */
  flush(): void
}

export interface NoticesSettings extends Pick<Callbacks, 'onError' | 'onDrop'> {
  readonly debug: boolean
}

type Surroundings = Pick<Platform, 'clock' | 'startTimer' | 'warn'>

const dropHints: Partial<Record<DropReason, string>> = {
  queue_full: 'more is logged than can be sent: see queueMaxItems and queueMaxBytes',
  too_large: 'see maxDecisionBytes',
  invalid: 'a decision needs input and output',
  redact_error: 'redact failed'
}

export function createNotices(settings: NoticesSettings, platform: Surroundings): Notices {
  const { onError, onDrop } = settings
  const errors = createPacedCalls<Error>(platform, (stage, count, error) =>
    onError?.(error, { stage: stage as Stage, count })
  )
  const drops = createPacedCalls<undefined>(platform, (reason, count) =>
    onDrop?.({ reason: reason as DropReason, count })
  )
  const complain = createComplain(platform)

  return {
    failed(stage, error, { count, hint }) {
      if (onError !== undefined) errors.add(stage, count, error)
      complain(`${error.message}: ${hint}`, {})
    },
    dropped(reason, count) {
      if (onDrop !== undefined) drops.add(reason, count, undefined)
      const hint = dropHints[reason]
      const text = hint === undefined ? undefined : `a decision was dropped as ${reason}: ${hint}`
      complain(text, { [reason]: count })
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

/** One line for the first problem, then at most one a minute for all that came since. */
function createComplain({ clock, warn }: Surroundings) {
  const dropped = new Map<string, number>()
  let spokenAt = -Infinity
  let failures = 0
  let latest = ''

  return function complain(text: string | undefined, drops: Record<string, number>): void {
    for (const reason in drops) {
      dropped.set(reason, (dropped.get(reason) ?? 0) + (drops[reason] ?? 0))
    }
    if (text === undefined) return
    failures++
    latest = text
    const now = clock()
    if (now - spokenAt < summaryMs) return
    const counts = Array.from(dropped, ([reason, count]) => `${count} ${reason}`).join(', ')
    const losses = counts === '' ? '' : `; dropped since: ${counts}`
    warn(
      spokenAt === -Infinity
        ? `sluice: ${latest}`
        : `sluice: ${failures} problems in the last minutes${losses}; the latest: ${latest}`
    )
    dropped.clear()
    failures = 0
    spokenAt = now
  }
}
