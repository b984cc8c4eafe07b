/** Keeps the newest decisions of the tail that match the query. A frozen view of them does not move.
 */
import { parseJson } from '../api/parse-json.ts'
import type { DecisionSummary, SearchBody } from '../api/wire.ts'
import type { TailUpdate } from './join-tail.ts'

/** Stands for decisions that the server did not send. */
export interface Gap {
  readonly decision_id: string
  readonly gap: string
}

export interface TailView {
  /** Newest first. */
  readonly rows: readonly (DecisionSummary | Gap)[]
  /** Number of decisions that had arrived when the rows were taken. */
  readonly seen: number
  /** Number of decisions that have arrived since. */
  readonly fresh: number
  readonly lastEventMs: number | null
  readonly retryAtMs: number | null
}

type EvaluationChange = DecisionSummary['evaluation'] & Pick<DecisionSummary, 'decision_id'>
type LiveRow = TailView['rows'][number]

const rowsMax = 5000
const filters = ['agent_id', 'session_id', 'domain', 'status', 'verdict'] as const

/** Returns the filters that the tail does not have. */
export function unsupportedBy(search: SearchBody): readonly string[] {
  return Object.keys(search).filter((name) => !filters.some((each) => each === name))
}

function matches(search: SearchBody, { evaluation, ...decision }: DecisionSummary): boolean {
  const agent_id = decision.agent_id ?? '_unattributed'
  const values = { ...decision, ...evaluation, agent_id }
  const wantedOf = (name: (typeof filters)[number]): readonly unknown[] =>
    [search[name] ?? values[name]].flat()
  return filters.every((name) => wantedOf(name).includes(values[name]))
}

export function createTailBuffer(search: SearchBody) {
  const shown = new Map<string, LiveRow>()
  /** Decisions that do not match yet; their evaluation can change that. */
  const others = new Map<string, DecisionSummary>()
  let arrived = 0
  let gaps = 0
  let lastEventMs: number | null = null
  let retryAtMs: number | null = null

  /** A decision that is sent again only changes. */
  function show(decision: DecisionSummary): void {
    const id = decision.decision_id
    const isKnown = shown.has(id)
    const isShown = isKnown || matches(search, decision)
    if (isShown && !isKnown) arrived += 1
    keep<LiveRow>(isShown ? shown : others, id, decision)
  }

  const takers: Readonly<Record<string, (data: string) => void>> = {
    decision: (data) => show(parseJson<DecisionSummary>(data)),
    evaluation: (data) => {
      const { decision_id, status, verdict } = parseJson<EvaluationChange>(data)
      const before = shown.get(decision_id) ?? others.get(decision_id)
      if (before !== undefined && !('gap' in before)) {
        show({ ...before, evaluation: { status, verdict } })
      }
    },
    gap: (data) => {
      const { dropped } = parseJson<{ readonly dropped: number | null }>(data)
      const id = `gap ${(gaps += 1)}`
      const gap = `${dropped?.toLocaleString('en') ?? 'Some'} decisions are not shown here.`
      keep<LiveRow>(shown, id, { decision_id: id, gap })
    }
  }

  return {
    take: (update: TailUpdate): void => {
      retryAtMs = update.retryAtMs
      for (const { kind, data } of update.events) {
        if (!Object.hasOwn(takers, kind)) continue
        takers[kind]?.(data)
        lastEventMs = Date.now()
      }
    },
    /** Returns the next view. The rows of a frozen one stay, but their evaluations change. */
    view: (before: TailView, isFrozen: boolean): TailView => {
      const isMoving = !isFrozen || before.rows.length === 0
      const seen = isMoving ? arrived : before.seen
      const rows = isMoving
        ? [...shown.values()].reverse()
        : before.rows.map((row) => shown.get(row.decision_id) ?? row)
      return { rows, seen, fresh: arrived - seen, lastEventMs, retryAtMs }
    }
  }
}

function keep<T>(map: Map<string, T>, id: string, value: T): void {
  map.set(id, value)
  const [oldest] = map.keys()
  if (map.size > rowsMax && oldest !== undefined) map.delete(oldest)
}
