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
  'refresh_token',
  'input',
  'output',
  'metadata',
  '*.authorization',
  '*.api_key',
  '*.password',
  '*.secret',
  '*.access_token',
  '*.refresh_token',
  '*.input',
  '*.output',
  '*.metadata'
]

export interface LoggerOptions {
  readonly level: string
  readonly process: string
  /** Process id, where several write to one output. */
  readonly worker?: number
}

export function createLogger({ level, ...base }: LoggerOptions): Logger {
  return pino({
    ...{ level, base },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: (error: unknown) => describeError(error) },
    redact: { paths: redactedPaths, censor: '[redacted]' }
  })
}

/** Errors that caused errors are followed so far. */
const causesMax = 4

/**
 * Name, code, message and origin of an error and its causes. Other members are left out: an error
 * of the database, for example, carries the row that it refused.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error
  const { name, message, stack } = error
  const { code } = error as { code?: unknown }
  const cause = depth < causesMax && error.cause !== undefined
  return {
    name,
    message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(depth === 0 ? { stack } : {}),
    ...(cause ? { cause: describeError(error.cause, depth + 1) } : {})
  }
}
