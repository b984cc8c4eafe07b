/** Options: types, defaults and limits. An option's name determines its environment variable. */
import type { DropReason } from './drop-reason.ts'

/** The decision that `redact` receives and returns. */
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
  /**
   * Called with a copy of each decision before it is queued, except decisions that sampling leaves
   * out; the return value is sent instead. The decision is dropped if the function returns null or
   * undefined, or throws.
   */
  readonly redact?:
    ((decision: RedactedDecision) => RedactedDecision | null | undefined) | undefined
  /** Called when something fails, at most once a second for each stage. */
  readonly onError?: ((error: Error, about: { stage: Stage; count: number }) => void) | undefined
  /** Called when decisions are dropped, at most once a second for each reason. */
  readonly onDrop?: ((about: { reason: DropReason; count: number }) => void) | undefined
}

export const callbackNames = ['redact', 'onError', 'onDrop'] as const

export interface Settings extends Callbacks {
  /** API key that authenticates requests. If unset, one warning is printed and nothing is sent. */
  readonly apiKey: string | null
  /**
   * URL of the gateway, such as https://sluice.example.com. If unset, one warning is printed and
   * nothing is sent.
   */
  readonly baseUrl: string | null
  /** Default agent id of decisions. */
  readonly agentId: string | null
  /** Default domain of decisions. */
  readonly domain: string | null
  /** Disable the client: nothing is queued or sent, but ids are still returned. Default: false. */
  readonly disabled: boolean
  /** Log every request to stderr, without payloads. Default: false. */
  readonly debug: boolean
  /**
   * Whether decisions are batched or sent immediately. auto means immediate on hosts that may
   * freeze after a response (such as Lambda, Vercel, Cloud Run and Workers), otherwise batched.
   * Default: auto.
   */
  readonly mode: 'auto' | 'batched' | 'immediate'
  /** Fraction of decisions to send; a session is sent whole or not at all. Default: 1. */
  readonly sampleRate: number
  /** Maximum number of decisions in a request. Default: 50. */
  readonly batchMaxItems: number
  /**
   * Maximum size of a request in bytes, before compression; a larger decision is sent alone.
   * Default: 524288.
   */
  readonly batchMaxBytes: number
  /** Maximum time in milliseconds that a decision waits to be batched. Default: 1000. */
  readonly batchIntervalMs: number
  /** Maximum number of decisions in memory, including those being sent. Default: 10000. */
  readonly queueMaxItems: number
  /**
   * Maximum size of all decisions in memory in bytes, including those being sent. Default:
   * 16777216.
   */
  readonly queueMaxBytes: number
  /**
   * Which decision is dropped when the queue is full; decisions being sent are kept. Default:
   * drop-oldest.
   */
  readonly queuePolicy: 'drop-oldest' | 'drop-newest'
  /**
   * Maximum size of an encoded decision in bytes; a larger one is dropped as too_large. Default:
   * 1048576.
   */
  readonly maxDecisionBytes: number
  /** Requests larger than this size in bytes are compressed. Default: 1024. */
  readonly gzipOverBytes: number
  /**
   * Timeout of a request, up to the last byte of the response. The gateway itself waits up to 10 s
   * for Kafka. Default: 15000.
   */
  readonly timeoutMs: number
  /**
   * Maximum pause after the first failure. It doubles with each further failure, and the actual
   * pause is random between 0 and this maximum. Default: 250.
   */
  readonly retryBaseMs: number
  /**
   * Maximum pause between two attempts, unless the gateway asks for a longer one. Default: 30000.
   */
  readonly retryCapMs: number
  /** Maximum number of attempts for a decision. Default: 30. */
  readonly retryMaxAttempts: number
  /** Maximum time to retry a decision, from its first attempt. Default: 300000. */
  readonly retryBudgetMs: number
  /** Pause after a response that reports a wrong API key or URL. Default: 60000. */
  readonly breakerMs: number
  /** Maximum time to send remaining decisions when the process ends. Default: 5000. */
  readonly shutdownMs: number
  /**
   * On SIGTERM and SIGINT, send remaining decisions, then let the signal end the process. Default:
   * false.
   */
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
