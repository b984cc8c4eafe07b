/** Decides which spans become decisions, by the attributes of each dialect. */
import type { SpanContent } from './content.ts'

type Dialect = 'openinference' | 'gen_ai' | 'openllmetry' | 'ai_sdk'
/** `generation` is a call to a language model, `decision` one to a decision model. */
export const stepKinds = ['agent', 'decision', 'generation', 'tool'] as const
export type StepKind = (typeof stepKinds)[number]

export interface SpanClass {
  readonly dialect: Dialect
  readonly kind: StepKind
}

interface Rule {
  readonly dialect: Dialect
  readonly key: string
  /** The kind of each value. */
  readonly kinds: ReadonlyMap<string, StepKind>
  /** Whether the next rules apply to other values. Default: such a span is ignored. */
  readonly isOpen?: boolean
}

const mapOf = (kinds: Readonly<Record<string, StepKind>>) => new Map(Object.entries(kinds))

const rules: readonly Rule[] = [
  {
    dialect: 'openinference',
    key: 'openinference.span.kind',
    kinds: mapOf({ AGENT: 'agent', LLM: 'generation', DECISION: 'decision', TOOL: 'tool' })
  },
  {
    dialect: 'gen_ai',
    key: 'gen_ai.operation.name',
    kinds: mapOf({
      invoke_agent: 'agent',
      invoke_workflow: 'agent',
      chat: 'generation',
      text_completion: 'generation',
      generate_content: 'generation',
      completion: 'generation',
      generate: 'generation',
      execute_tool: 'tool'
    })
  },
  {
    dialect: 'openllmetry',
    key: 'traceloop.span.kind',
    kinds: mapOf({ agent: 'agent', workflow: 'agent', tool: 'tool' }),
    isOpen: true
  },
  {
    dialect: 'openllmetry',
    key: 'llm.request.type',
    kinds: mapOf({ chat: 'generation', completion: 'generation' }),
    isOpen: true
  },
  {
    dialect: 'ai_sdk',
    key: 'ai.operationId',
    kinds: mapOf({
      'ai.generateText.doGenerate': 'generation',
      'ai.generateObject.doGenerate': 'generation',
      'ai.streamText.doStream': 'generation',
      'ai.streamObject.doStream': 'generation',
      'ai.generateText': 'agent',
      'ai.generateObject': 'agent',
      'ai.streamText': 'agent',
      'ai.streamObject': 'agent',
      'ai.toolCall': 'tool'
    })
  }
]

const messageKeys = ['gen_ai.input.messages', 'gen_ai.output.messages']

/** Returns null for a span that is not a step of an agent. The first rule that matches decides. */
export function classOf({ attributes, hasMessages }: SpanContent): SpanClass | null {
  for (const { dialect, key, kinds: kindOf, isOpen = false } of rules) {
    const value = attributes.peek(key)
    if (value === null) continue
    const kind = kindOf.get(value)
    if (kind !== undefined) {
      attributes.take([key])
      return { dialect, kind }
    }
    if (!isOpen) return null
  }
  const isCall = hasMessages || messageKeys.some((key) => attributes.has(key))
  return isCall ? { dialect: 'gen_ai', kind: 'generation' } : null
}
