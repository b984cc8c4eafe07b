/** The goals of the whole system, and whether a measurement meets them. */
import { markdownTable } from './markdown.ts'

export interface PipelineFigures {
  /** Of everything behind the gateway. */
  readonly cpu_us: number
  readonly decisions_per_second: number
  readonly postgres_bytes: number
  readonly wal_bytes: number
  readonly wait_p50_s: number
  readonly wait_max_s: number
  /** Of the evaluation process. */
  readonly evaluation_us: number
  /** Storage's rows/s as a share of those of COPY. */
  readonly copy_ratio: number
}

interface Goal {
  readonly what: string
  readonly figure: keyof PipelineFigures
  /** The figure before the goals were set, shown when no other checkout is measured. */
  readonly before: string
  readonly goal: number
  readonly moonshot: number
  readonly isAtLeast?: true
}

const wait = 'wait to be stored while evaluations wait'

const goals: readonly Goal[] = [
  {
    what: 'CPU-µs a decision, everything behind the gateway',
    ...{ figure: 'cpu_us', before: '1350', goal: 330, moonshot: 230 }
  },
  {
    what: 'decisions/s, until scores are stored',
    ...{ figure: 'decisions_per_second', before: '700–1500', goal: 3000, moonshot: 5000 },
    isAtLeast: true
  },
  {
    what: 'bytes a decision in Postgres',
    ...{ figure: 'postgres_bytes', before: '13000', goal: 3300, moonshot: 2500 }
  },
  {
    what: 'bytes a decision of write-ahead log',
    ...{ figure: 'wal_bytes', before: '17000–26000', goal: 4500, moonshot: 3500 }
  },
  {
    what: `${wait}, p50 s`,
    ...{ figure: 'wait_p50_s', before: '4.20', goal: 0.2, moonshot: 0.1 }
  },
  {
    what: `${wait}, longest s`,
    ...{ figure: 'wait_max_s', before: '10.50', goal: 1, moonshot: 0.5 }
  },
  {
    what: 'storage of decisions / COPY',
    ...{ figure: 'copy_ratio', before: '0.41', goal: 0.5, moonshot: 0.6 },
    isAtLeast: true
  },
  {
    what: 'CPU-µs a decision, evaluation process alone',
    ...{ figure: 'evaluation_us', before: '196', goal: 80, moonshot: 60 }
  }
]

/** @param before figures of the other checkout, if there is one */
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
