/** Mail: sends emails in the background, with retries.
 *
 *     send ─▶ at most 1,000 pending ─▶ four at a time ─▶ a mail server, or a folder of .eml files
 *
 * Emails that are still waiting when the process exits are lost; users can request them again.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import type { Backoff } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { createAtMost } from './at-most.ts'
import { retry } from './retry.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface Email {
  /** A single address. */
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Mail {
  /** Returns immediately and never throws. Outcomes are counted, and failures are logged. */
  send(email: Email): void
  /** Sends the emails that are waiting or in progress, without further retries. */
  close(): Promise<void>
}

export interface MailOptions {
  /** MAIL_URL (smtp, smtps or file). Null disables emails. */
  readonly url: string | null
  readonly from: string
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics: Pick<Metrics, 'count'>
  readonly clock: Clock
  readonly backoff?: Backoff
}

/** Maximum number of emails waiting or in progress. Further emails are dropped. */
export const emailsMax = 1000
const concurrentEmailsMax = 4
export const attemptsMax = 4
const usualBackoff: Backoff = { baseMs: 2000, capMs: 60_000, factor: 4 }
const connectTimeoutMs = 10_000
const silenceTimeoutMs = 30_000
/** Lowest SMTP status of a permanent failure. */
const permanentStatus = 500

type Deliver = (email: Email) => Promise<void>

export function createMail(options: MailOptions): Mail {
  const { url, logger, metrics, backoff = usualBackoff } = options
  const deliver = url === null ? null : deliverBy(url, options)
  const atMost = createAtMost(concurrentEmailsMax)
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  let isLogged = false

  async function attempt(email: Email, deliverOne: Deliver): Promise<void> {
    // Lets the HTTP response be written first, so that sending does not delay it.
    await setImmediate()
    let attempts = 0
    try {
      await retry(
        { backoff, attemptsMax, isTransient, signal: closing.signal },
        async (attempt) => {
          attempts = attempt
          await deliverOne(email)
        }
      )
      metrics.count('sluice_emails_total', { outcome: 'sent' })
    } catch (error) {
      giveUp(error, attempts)
    }
  }

  /**
   * Counts and logs an email that was not sent. Omits the mail server's message, because it can
   * contain the address.
   */
  function giveUp(error: unknown, attempts: number): void {
    metrics.count('sluice_emails_total', { outcome: 'failed' })
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    logger.warn({ code, status: responseCode, attempts }, 'email not sent')
  }

  function countNotConfigured(): void {
    metrics.count('sluice_emails_total', { outcome: 'not_configured' })
    if (!isLogged) logger.warn({}, 'emails are not sent: MAIL_URL is not set')
    isLogged = true
  }

  return {
    send: (email) => {
      if (deliver === null) return countNotConfigured()
      if (underWay.size >= emailsMax || closing.signal.aborted) {
        return metrics.count('sluice_emails_total', { outcome: 'dropped' })
      }
      const sending = atMost(() => attempt(email, deliver))
      underWay.add(sending)
      void sending.finally(() => underWay.delete(sending))
    },
    close: async () => {
      closing.abort()
      await Promise.all(underWay)
    }
  }
}

function isTransient(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: number }
  return responseCode === undefined || responseCode < permanentStatus
}

function deliverBy(url: string, { from, clock }: MailOptions): Deliver {
  // nodemailer encodes text that is not ASCII. If line ends are not CRLF, it can break a line
  // within a token.
  const compose = (email: Email) => ({
    from,
    to: { name: '', address: email.to },
    subject: email.subject,
    text: email.text.replaceAll('\n', '\r\n'),
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return url.startsWith('file:') ? toFolder(url, { compose, clock }) : toServer(url, compose)
}

type Compose = (email: Email) => object

function toServer(url: string, compose: Compose): Deliver {
  const transport = createTransport({
    url,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs
  })
  return async (email) => void (await transport.sendMail(compose(email)))
}

/**
 * Writes emails to a folder. File names sort by time. Only the user that runs this process can read
 * the files, because they contain tokens.
 */
function toFolder(url: string, { compose, clock }: { compose: Compose; clock: Clock }): Deliver {
  const folder = fileURLToPath(url)
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return async (email) => {
    const { message } = await transport.sendMail(compose(email))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${uuidv7(clock.now())}.eml`)
    await writeFile(path, message as Buffer, { mode: 0o600, flag: 'wx' })
  }
}
