/** Compares measurements of the whole system with its goals. */
import { markdownTable } from './markdown.ts'

export interface PipelineFigures {
  /** CPU time per decision of all processes except the gateway. */
  readonly cpu_us: number
  readonly decisions_per_second: number
  readonly postgres_bytes: number
  readonly wal_bytes: number
  readonly wait_p50_s: number
  readonly wait_max_s: number
  /** CPU time per decision of the evaluation processes alone. */
  readonly evaluation_us: number
  /** Ratio of storage's rows/s to COPY's rows/s. */
  readonly copy_ratio: number
}

interface Goal {
  readonly what: string
  readonly figure: keyof PipelineFigures
  /** Value when the goals were set. It is shown if no other checkout is measured. */
  readonly before: string
  readonly goal: number
  readonly moonshot: number
  readonly isAtLeast?: true
}

const wait = 'wait to be stored while evaluations wait'

const goals: readonly Goal[] = [
  {
    what: 'CPU-µs per decision, everything after the gateway',
    figure: 'cpu_us',
    before: '1350',
    goal: 330,
    moonshot: 230
  },
  {
    what: 'decisions/s, until scores are stored',
    figure: 'decisions_per_second',
    before: '700–1500',
    goal: 3000,
    moonshot: 5000,
    isAtLeast: true
  },
  {
    what: 'bytes per decision in Postgres',
    figure: 'postgres_bytes',
    before: '13000',
    goal: 3300,
    moonshot: 2500
  },
  {
    what: 'bytes per decision of write-ahead log',
    figure: 'wal_bytes',
    before: '17000–26000',
    goal: 4500,
    moonshot: 3500
  },
  {
    what: `${wait}, p50 s`,
    figure: 'wait_p50_s',
    before: '4.20',
    goal: 0.2,
    moonshot: 0.1
  },
  {
    what: `${wait}, longest s`,
    figure: 'wait_max_s',
    before: '10.50',
    goal: 1,
    moonshot: 0.5
  },
  {
    what: 'storage of decisions / COPY',
    figure: 'copy_ratio',
    before: '0.41',
    goal: 0.5,
    moonshot: 0.6,
    isAtLeast: true
  },
  {
    what: 'CPU-µs per decision, evaluation process alone',
    figure: 'evaluation_us',
    before: '196',
    goal: 80,
    moonshot: 60
  }
]

/**
 * Formats the goals and the measured figures as a table.
 * @param before figures of the other checkout; empty if none was measured
 */
export function markdownOfPipelineGoals(
  measured: PipelineFigures,
  before: Partial<PipelineFigures>
): string {
  const lines = goals.map((one) => {
    const { what, figure, goal, moonshot, isAtLeast } = one
    const [value, other] = [measured[figure], before[figure]]
    const isMet = isAtLeast === true ? value >= goal : value <= goal
    return [
      what,
      other === undefined ? one.before : textOf(other),
      textOf(value),
      other === undefined ? '–' : (value / other).toFixed(2),
      `${isAtLeast === true ? '≥' : '≤'} ${goal}`,
      isMet ? 'yes' : 'no',
      String(moonshot)
    ]
  })
  const heads = ['goal', 'release before', 'measured', 'ratio', 'goal is', 'is met', 'moonshot']
  return markdownTable(heads, lines, 1)
}

function textOf(value: number): string {
  return value.toFixed(value < 20 ? 2 : 0)
}
