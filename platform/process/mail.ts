/** Mail: letters to people, sent off the path of any request, a few times if need be.
 *
 *     send ─▶ at most 1,000 wait ─▶ four at a time ─▶ a mail server, or a folder of .eml files
 *
 * What waits is lost when the process ends: whoever misses a letter asks for another one.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import { backoffMs } from '../../core/backoff.ts'
import type { Backoff } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { createAtMost } from './at-most.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface Letter {
  /** One address. */
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Mail {
  /** Returns at once and never throws; what becomes of it is counted and logged. */
  send(letter: Letter): void
  /** What is under way is still sent, but not tried again. */
  close(): Promise<void>
}

export interface MailOptions {
  /** MAIL_URL: smtp, smtps or file; with null letters go nowhere. */
  readonly url: string | null
  readonly from: string
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics: Pick<Metrics, 'count'>
  readonly clock: Clock
  readonly backoff?: Backoff
}

/** Beyond them a letter is dropped. */
export const lettersMax = 1000
const lettersAtOnceMax = 4
export const attemptsMax = 4
const usualBackoff: Backoff = { baseMs: 2000, capMs: 60_000, factor: 4 }
const connectTimeoutMs = 10_000
const silenceTimeoutMs = 30_000
/** A mail server that says 5xx means it. */
const permanentStatus = 500

type Deliver = (letter: Letter) => Promise<void>

export function createMail(options: MailOptions): Mail {
  const { url, logger, metrics, backoff = usualBackoff } = options
  const deliver = url === null ? null : deliverBy(url, options)
  const atMost = createAtMost(lettersAtOnceMax)
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  let isTold = false

  async function attempt(letter: Letter, deliverOne: Deliver): Promise<void> {
    // After the answer of the request is written, so that it takes no longer with an email.
    await setImmediate()
    for (let attempts = 1; ; attempts++) {
      try {
        await deliverOne(letter)
        return metrics.count('sluice_mails_total', { outcome: 'sent' })
      } catch (error) {
        const isOver = attempts >= attemptsMax || isPermanent(error) || closing.signal.aborted
        if (isOver) return giveUp(error, attempts)
      }
      const waitMs = backoffMs(backoff, attempts, Math.random())
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** The words of a mail server may repeat the address, so they stay out of the log. */
  function giveUp(error: unknown, attempts: number): void {
    metrics.count('sluice_mails_total', { outcome: 'failed' })
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    logger.warn({ code, status: responseCode, attempts }, 'a letter could not be sent')
  }

  function tellNowhere(): void {
    metrics.count('sluice_mails_total', { outcome: 'nowhere' })
    if (!isTold) logger.warn({}, 'letters go nowhere: MAIL_URL is not set')
    isTold = true
  }

  return {
    send: (letter) => {
      if (deliver === null) return tellNowhere()
      if (underWay.size >= lettersMax || closing.signal.aborted) {
        return metrics.count('sluice_mails_total', { outcome: 'dropped' })
      }
      const sending = atMost(() => attempt(letter, deliver))
      underWay.add(sending)
      void sending.finally(() => underWay.delete(sending))
    },
    close: async () => {
      closing.abort()
      await Promise.all(underWay)
    }
  }
}

function isPermanent(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: number }
  return responseCode !== undefined && responseCode >= permanentStatus
}

function deliverBy(url: string, { from, clock }: MailOptions): Deliver {
  // What is not ASCII is encoded, and lines are broken there: in lines of mail, or in mid-token.
  const compose = (letter: Letter) => ({
    ...{ from, to: { name: '', address: letter.to } },
    ...{ subject: letter.subject, text: letter.text.replaceAll('\n', '\r\n') },
    ...{ disableFileAccess: true, disableUrlAccess: true }
  })
  return url.startsWith('file:') ? toFolder(url, { compose, clock }) : toServer(url, compose)
}

type Compose = (letter: Letter) => object

function toServer(url: string, compose: Compose): Deliver {
  const transport = createTransport({
    url,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs
  })
  return async (letter) => void (await transport.sendMail(compose(letter)))
}

/** Names sort by time; what opens accounts is for this user alone. */
function toFolder(url: string, { compose, clock }: { compose: Compose; clock: Clock }): Deliver {
  const folder = fileURLToPath(url)
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return async (letter) => {
    const { message } = await transport.sendMail(compose(letter))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${uuidv7(clock.now())}.eml`)
    await writeFile(path, message as Buffer, { mode: 0o600, flag: 'wx' })
  }
}
