/** Check `no_session_loop`: fails if a session keeps giving the same answer. */
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Evaluator } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { EvaluatorState, Kind } from '../kind.ts'
import type { Subject } from '../subject.ts'

interface LoopConfig {
  readonly times?: number
  readonly words_min?: number
}

/** Default number of equal answers that make a loop. A second equal answer may be a retry. */
const timesDefault = 3
/**
 * Default minimum length of an answer in words. Short answers ("approved", "no match found") repeat
 * for good reasons.
 */
const wordsMinDefault = 12
/** Number of recent answers that are compared per session. */
export const rememberedAnswers = 8

export const sessionLoop: Kind<LoopConfig> = {
  properties: {
    times: { type: 'integer', minimum: 2, maximum: rememberedAnswers, default: timesDefault },
    words_min: { type: 'integer', minimum: 1, maximum: 1000, default: wordsMinDefault }
  },
  isBounded: true,
  outputOf: () => booleanOutput,
  compile: (config, state) => createFindLoop(config, state)
}

/** Detects equal answers in a session. Without session memory, every decision is skipped. */
export const noSessionLoop = Object.freeze<Evaluator>({
  name: 'no_session_loop',
  kind: 'heuristic',
  version: 1,
  evaluate: createFindLoop({}, { sessions: null })
})

function createFindLoop(config: LoopConfig, { sessions }: EvaluatorState): Evaluate {
  const { times = timesDefault, words_min: wordsMin = wordsMinDefault } = config
  return (subject) => {
    const { organization_id, session_id, decision_id } = subject.decision
    if (sessions === null || session_id === null) return notApplicable
    const words = subject.outputWords()
    if (words.length < wordsMin) return notApplicable
    const answer = answerOf(words, subject)
    const answers = sessions.remember(`${organization_id}/${session_id}`, decision_id, answer)
    const count = answers.filter((each) => each === answer).length
    if (count < times) return verdict(true, 'The session does not keep giving this answer.')
    return verdict(
      false,
      `The session gave this answer ${count} times among its last ${answers.length}.`
    )
  }
}

/**
 * Returns a 53-bit hash of the answer's words. It ignores case, whitespace and punctuation. Only
 * the first 32,768 characters are hashed; for a longer output, the hash includes the length.
 */
function answerOf(words: readonly number[], { output }: Subject): number {
  let [high, low] = [output.length > 32_768 ? output.length : 0, 0]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0
    high = (Math.imul(high, 0x01000193) ^ word) | 0
    low = (Math.imul(low, 0x2c1b3c6d) + word) | 0
  }
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0)
}
