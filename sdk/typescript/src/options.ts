/** Every option: its type, default and limits; its environment name follows from its name. */
import type { DropReason } from './drop-reason.ts'

/** What `redact` is given and gives back: what would be sent. */
export interface RedactedDecision {
  input: unknown
  output: unknown
  agentId?: string
  sessionId?: string
  domain?: string
  metadata?: Record<string, unknown>
  inputTokens?: number
  outputTokens?: number
  readonly decisionId?: string
}

export type Stage = 'encode' | 'redact' | 'send' | 'flush' | 'config'

export interface Callbacks {
  /** Given a copy of every decision before it is queued; what it returns is sent instead. */
  readonly redact?:
    ((decision: RedactedDecision) => RedactedDecision | null | undefined) | undefined
  readonly onError?: ((error: Error, about: { stage: Stage; count: number }) => void) | undefined
  readonly onDrop?: ((about: { reason: DropReason; count: number }) => void) | undefined
}

export const callbackNames = ['redact', 'onError', 'onDrop'] as const

export interface Settings extends Callbacks {
  readonly apiKey: string | null
  readonly baseUrl: string | null
  readonly agentId: string | null
  readonly domain: string | null
  readonly disabled: boolean
  readonly debug: boolean
  readonly mode: 'auto' | 'batched' | 'immediate'
  readonly sampleRate: number
  readonly batchMaxItems: number
  readonly batchMaxBytes: number
  readonly batchIntervalMs: number
  readonly queueMaxItems: number
  readonly queueMaxBytes: number
  readonly queuePolicy: 'drop-oldest' | 'drop-newest'
  readonly maxDecisionBytes: number
  readonly gzipOverBytes: number
  readonly timeoutMs: number
  readonly retryBaseMs: number
  readonly retryCapMs: number
  readonly retryMaxAttempts: number
  readonly retryBudgetMs: number
  readonly breakerMs: number
  readonly shutdownMs: number
  readonly handleSignals: boolean
}

export type Options = { readonly [Name in keyof Settings]?: Settings[Name] | undefined }

export type Row =
  | { readonly type: 'text' | 'secret' | 'url'; readonly default: null }
  | { readonly type: 'flag'; readonly default: boolean }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | {
      readonly type: 'number' | 'integer'
      readonly min: number
      readonly max: number
      default: number
    }

type OptionName = Exclude<keyof Settings, keyof Callbacks>

const text: Row = { type: 'text', default: null }
const flag: Row = { type: 'flag', default: false }

export const optionTable: Readonly<Record<OptionName, Row>> = {
  apiKey: { type: 'secret', default: null },
  baseUrl: { type: 'url', default: null },
  agentId: text,
  domain: text,
  disabled: flag,
  debug: flag,
  mode: { type: 'choice', choices: ['auto', 'batched', 'immediate'], default: 'auto' },
  sampleRate: { type: 'number', min: 0, max: 1, default: 1 },
  batchMaxItems: integer(1, 1000, 50),
  batchMaxBytes: integer(1024, 8_388_608, 524_288),
  batchIntervalMs: integer(0, 600_000, 1000),
  queueMaxItems: integer(1, 1_000_000, 10_000),
  queueMaxBytes: integer(1024, 1_073_741_824, 16_777_216),
  queuePolicy: { type: 'choice', choices: ['drop-oldest', 'drop-newest'], default: 'drop-oldest' },
  maxDecisionBytes: integer(1024, 4_194_304, 1_048_576),
  gzipOverBytes: integer(0, 1_073_741_824, 1024),
  timeoutMs: integer(1, 600_000, 15_000),
  retryBaseMs: integer(0, 600_000, 250),
  retryCapMs: integer(0, 600_000, 30_000),
  retryMaxAttempts: integer(1, 1000, 30),
  retryBudgetMs: integer(0, 86_400_000, 300_000),
  breakerMs: integer(0, 3_600_000, 60_000),
  shutdownMs: integer(0, 600_000, 5000),
  handleSignals: flag
}

function integer(min: number, max: number, fallback: number): Row {
  return { type: 'integer', min, max, default: fallback }
}
