/** `npm run bench -- --micro`: measures each hot step without network or services. */
import { Bench } from 'tinybench'
import { markdownTable } from '../report/markdown.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { makeEvaluationSteps } from './evaluation-steps.ts'
import { makeSteps } from './steps.ts'
import type { MicroStep } from './steps.ts'

/**
 * Number of decisions per sample. Reading the clock costs about as much as the smallest step, so
 * each sample has many.
 */
const decisionsPerSample = 100
const taskMs = 1000

interface StepFigures {
  readonly step: string
  readonly us_per_decision_p50: number
  readonly us_per_decision_p99: number
}

export async function runMicro(): Promise<BenchResult> {
  const bench = new Bench({ time: taskMs, warmupTime: taskMs / 2 })
  for (const step of [...makeSteps(), ...makeEvaluationSteps()])
    bench.add(step.name, sampleOf(step))
  await bench.run()
  const steps: StepFigures[] = bench.tasks.map(({ name, result }) => {
    if (!('latency' in result)) {
      const cause = 'error' in result ? result.error : result
      throw new Error(`The step "${name}" failed.`, { cause })
    }
    const { p50, p99 } = result.latency
    const [us_per_decision_p50, us_per_decision_p99] = [perDecision(p50), perDecision(p99)]
    return { step: name, us_per_decision_p50, us_per_decision_p99 }
  })
  return { isComplete: true, page: [markdownOf(steps)], figures: { steps } }
}

function sampleOf({ decisions, run }: MicroStep): () => void {
  let at = 0
  const calls = decisionsPerSample / decisions
  return () => {
    for (let call = 0; call < calls; call++) run(at++)
  }
}

function perDecision(ms: number): number {
  return (ms * 1000) / decisionsPerSample
}

function markdownOf(steps: readonly StepFigures[]): string {
  const lines = steps.map((one) => [
    one.step,
    one.us_per_decision_p50.toFixed(2),
    one.us_per_decision_p99.toFixed(2)
  ])
  return markdownTable(['step', 'µs a decision, p50', 'p99'], lines, 1)
}
