/** Records log messages, for tests. */
import type { Logger } from '../../../platform/telemetry/logger.ts'

export interface LogEntry {
  readonly level: keyof Logger
  readonly fields: object
  readonly message: string
}

export class RecordingLogger implements Logger {
  readonly entries: LogEntry[] = []

  debug(fields: object, message: string): void {
    this.entries.push({ level: 'debug', fields, message })
  }

  info(fields: object, message: string): void {
    this.entries.push({ level: 'info', fields, message })
  }

  warn(fields: object, message: string): void {
    this.entries.push({ level: 'warn', fields, message })
  }

  error(fields: object, message: string): void {
    this.entries.push({ level: 'error', fields, message })
  }
}
