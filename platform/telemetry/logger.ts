/** Logger: writes one JSON line per message, without payloads or secrets. */
import { pino } from 'pino'

/** Log levels in use. `error` means that an operator must act immediately. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Paths to redact, in case payloads or secrets are logged by mistake. */
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

interface LoggerOptions {
  readonly level: string
  readonly process: string
  /** Worker number, if several workers write to one output. */
  readonly worker?: number
}

export function createLogger({ level, ...base }: LoggerOptions): Logger {
  return pino({
    level,
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: (error: unknown) => describeError(error) },
    redact: { paths: redactedPaths, censor: '[redacted]' }
  })
}

/** Maximum number of nested causes to log. */
const causesMax = 4

/**
 * Returns the name, message and code of an error and its causes, and the error's stack. Omits other
 * properties, because they can contain data: a database error contains the rejected row.
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
