/** Structured logs, one JSON line each; payloads and secrets are never among them. */
import { pino } from 'pino'

/** What a room may say. An error means that somebody has to act now. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Paths that are blanked should a caller ever log them by mistake. */
export const redactedPaths = [
  'authorization',
  'api_key',
  'password',
  'secret',
  'access_token',
  'input',
  'output',
  'metadata',
  '*.authorization',
  '*.api_key',
  '*.password',
  '*.secret',
  '*.access_token',
  '*.input',
  '*.output',
  '*.metadata'
]

export function createLogger(options: { level: string; process: string }): Logger {
  return pino({
    level: options.level,
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' }
  })
}
