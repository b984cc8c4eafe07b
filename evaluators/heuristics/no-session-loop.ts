/** no_session_loop: a session does not give the same answer again and again. */
import { notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Evaluator } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { EvaluatorState, Kind } from '../kind.ts'
import type { Subject } from '../subject.ts'

interface LoopConfig {
  readonly times?: number
  readonly words_min?: number
}

/** Once more is a retry; from the third time on nobody is helped. */
const timesDefault = 3
/** Short answers ("approved", "no match found") recur for good reasons. */
const wordsMinDefault = 12
/** Answers of a session that are remembered. */
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

/** Of a process that remembers nothing, no answer can be told to come again. */
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
    if (count < times) return verdict(true, 'The session has not given this answer over and over.')
    return verdict(
      false,
      `The session gave this answer ${count} times in its last ${answers.length}.`
    )
  }
}

/** Whatever its case, white space and marks, an answer has one number, of 53 bits. */
function answerOf(words: readonly number[], { output }: Subject): number {
  let [high, low] = [output.length > 32_768 ? output.length : 0, 0]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0
    high = (Math.imul(high, 0x01000193) ^ word) | 0
    low = (Math.imul(low, 0x2c1b3c6d) + word) | 0
  }
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0)
}
