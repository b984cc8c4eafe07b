/** The evaluation of a decision: one line for each rule and evaluator, also for those that did not
 * run, with the reason.
 */
import { formatDuration } from '../../text/format.ts'
import { explain } from '../../decision/explain.ts'
import { visible } from '../../text/visible.ts'
import type { EvaluationBody } from '../../api/wire.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Pill } from '../../ui/pill.tsx'
import { linesOf } from './plan-lines.ts'
import type { PlanLine } from './plan-lines.ts'
import { useEvaluation } from './use-decision.ts'

export function EvaluationPlan({ id }: { readonly id: string }) {
  return (
    <section aria-labelledby="evaluation">
      <h2 id="evaluation">Evaluation</h2>
      <Loaded query={useEvaluation(id)} what="the evaluation">
        {(evaluation) => <Plan evaluation={evaluation} />}
      </Loaded>
    </section>
  )
}

function Plan({ evaluation }: { readonly evaluation: EvaluationBody }) {
  const { status, reason, progress } = evaluation
  const lines = linesOf(evaluation)
  const why = explain(reason)
  return (
    <>
      <p aria-live="polite">
        <Pill word="queued" /> → <Pill word="stored" /> → <Pill word={status} /> {why}{' '}
        <span className="quiet">{sumOf(progress)}</span>
      </p>
      {lines.length > 0 && (
        <div className="wide" tabIndex={0} role="region" aria-label="Evaluation plan">
          <table className="data">
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

/** The parts add up, so that no run is missing without a trace. */
function sumOf({ planned, succeeded, failed, skipped, pending }: EvaluationBody['progress']) {
  const ended = `${succeeded} succeeded + ${failed} failed + ${skipped} skipped`
  return `planned ${planned} = ${ended} + ${pending} waiting`
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
        {typeof score?.verdict === 'string' && <Pill word={score.verdict} />}
      </td>
      <td>{visible(score?.reason ?? explain(line.reason, outcome))}</td>
      <td>{formatDuration(line.durationUs)}</td>
    </tr>
  )
}
