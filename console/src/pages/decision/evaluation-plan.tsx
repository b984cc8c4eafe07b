/** The evaluation of a decision: one line for each rule and evaluator, also for those that did not
 * run, with the reason.
 */
import { formatDuration } from '../../lib/format.ts'
import { explain } from '../../lib/reasons.ts'
import { visible } from '../../lib/visible.ts'
import type { Evaluation } from '../../lib/wire.ts'
import { Loading } from '../../ui/loading.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { linesOf } from './plan-lines.ts'
import type { PlanLine } from './plan-lines.ts'
import { useEvaluation } from './use-decision.ts'

export function EvaluationPlan({ id }: { readonly id: string }) {
  const { data, error, refetch } = useEvaluation(id)
  return (
    <section aria-labelledby="evaluation">
      <h2 id="evaluation">Evaluation</h2>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading label="Loading the evaluation…" />}
      {data !== undefined && <Plan evaluation={data} />}
    </section>
  )
}

function Plan({ evaluation }: { readonly evaluation: Evaluation }) {
  const { status, reason, progress } = evaluation
  const lines = linesOf(evaluation)
  return (
    <>
      <p>
        <Pill word={status} /> {explain(reason)}{' '}
        <span className="quiet">
          planned {progress.planned} = {progress.succeeded} succeeded + {progress.failed} failed +{' '}
          {progress.skipped} skipped + {progress.pending} waiting
        </span>
      </p>
      {lines.length > 0 && (
        <div className="wide" tabIndex={0} role="region" aria-label="Evaluation plan">
          <table className="plan">
            <thead>
              <tr>
                <th>Rule</th>
                <th>Evaluator</th>
                <th>Outcome</th>
                <th>Score</th>
                <th>Reason</th>
                <th>Duration</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <PlanRow key={line.key} line={line} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

function PlanRow({ line }: { readonly line: PlanLine }) {
  const { rule, evaluator, version, outcome, score } = line
  return (
    <tr>
      <td>{visible(rule)}</td>
      <td>{evaluator === null ? '–' : `${visible(evaluator)} v${version ?? '?'}`}</td>
      <td>
        <Pill word={outcome} />
      </td>
      <td>
        {score === null ? '–' : `${visible(score.name)} ${visible(score.value)} `}
        {score?.verdict != null && <Pill word={score.verdict} />}
      </td>
      <td>{visible(score?.reason ?? explain(line.reason, outcome))}</td>
      <td>{formatDuration(line.durationUs)}</td>
    </tr>
  )
}
