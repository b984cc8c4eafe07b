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
  /**
   * Given a copy of every decision before it is queued; what it returns is sent instead. What it
   * answers with null or undefined, and what it throws on, is not sent.
   */
  readonly redact?:
    ((decision: RedactedDecision) => RedactedDecision | null | undefined) | undefined
  /** Told of what went wrong, at most once a second for each stage. */
  readonly onError?: ((error: Error, about: { stage: Stage; count: number }) => void) | undefined
  /** Told of decisions that are not sent, at most once a second for each reason. */
  readonly onDrop?: ((about: { reason: DropReason; count: number }) => void) | undefined
}

export const callbackNames = ['redact', 'onError', 'onDrop'] as const

export interface Settings extends Callbacks {
  /** The key that decisions are sent with. Without one: one warning, and nothing is sent. */
  readonly apiKey: string | null
  /**
   * Where the gateway is, such as https://sluice.example.com. Without one: one warning, and
   * nothing is sent.
   */
  readonly baseUrl: string | null
  /** The agent of decisions that name none. */
  readonly agentId: string | null
  /** The domain of decisions that name none. */
  readonly domain: string | null
  /** Nothing is kept and nothing is sent; ids are returned all the same. Default: false. */
  readonly disabled: boolean
  /** Tell of every request, without payloads. Default: false. */
  readonly debug: boolean
  /**
   * Whether decisions wait for others or are sent at once; auto: immediate where the host may be
   * frozen after an answer (Lambda, Vercel, Workers), else batched. Default: auto.
   */
  readonly mode: 'auto' | 'batched' | 'immediate'
  /** The share of decisions that is sent; all of a session or none. Default: 1. */
  readonly sampleRate: number
  /** Decisions of one request. Default: 50. */
  readonly batchMaxItems: number
  /** Bytes of one request before compression; a larger decision travels alone. Default: 524288. */
  readonly batchMaxBytes: number
  /** How long a decision waits for others at most. Default: 1000. */
  readonly batchIntervalMs: number
  /** Decisions in memory, those on their way included. Default: 10000. */
  readonly queueMaxItems: number
  /** Bytes of decisions in memory, those on their way included. Default: 16777216. */
  readonly queueMaxBytes: number
  /**
   * Which decision goes when the queue is full; what is on its way always stays. Default:
   * drop-oldest.
   */
  readonly queuePolicy: 'drop-oldest' | 'drop-newest'
  /** Bytes of one encoded decision; a larger one is dropped as too_large. Default: 1048576. */
  readonly maxDecisionBytes: number
  /** Requests larger than this are compressed. Default: 1024. */
  readonly gzipOverBytes: number
  /**
   * For one request from its first byte to the last of its answer; the gateway itself waits 10 s
   * for the broker. Default: 15000.
   */
  readonly timeoutMs: number
  /**
   * The longest pause after a first failure; doubles with each further one, and the pause is a
   * random part of it. Default: 250.
   */
  readonly retryBaseMs: number
  /** The longest pause between two attempts that the client chooses itself. Default: 30000. */
  readonly retryCapMs: number
  /** Attempts for one decision. Default: 30. */
  readonly retryMaxAttempts: number
  /** How long after its first attempt a decision is tried again. Default: 300000. */
  readonly retryBudgetMs: number
  /** The pause after an answer that says the client itself is set up wrongly. Default: 60000. */
  readonly breakerMs: number
  /** How long the end of the process waits for what is left. Default: 5000. */
  readonly shutdownMs: number
  /** Send what is left on SIGTERM and SIGINT, and end as the signal would have. Default: false. */
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
