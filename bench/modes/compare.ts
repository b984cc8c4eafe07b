/** The comparison: all rows side by side, and the goals. */
import { goalsOf, markdownOfGoals } from '../report/goals.ts'
import type { BenchOptions } from '../options.ts'
import type { Outcome } from '../report/outcome.ts'
import { isComplete, sentenceOf } from '../system/record-count.ts'
import { floor } from '../rows/floor.ts'
import { runSession } from '../session.ts'
import type { Session, SessionReport } from '../session.ts'
import { markdownOf, tableOf } from '../report/table.ts'

/** What a round has shown is kept before the next begins. */
export async function compareRows(session: Session): Promise<Outcome> {
  let outcome: Outcome = { isComplete: false, page: [], figures: null }
  for await (const report of runSession(session)) {
    outcome = outcomeOf(report, session.options)
    session.keep(outcome)
  }
  return outcome
}

/** The figures mean nothing when what was accepted is not in the topics. */
function outcomeOf(report: SessionReport, { seconds, connections, rate }: BenchOptions): Outcome {
  const { rounds, measurements, counts, notRun } = report
  const table = tableOf(measurements, floor.name)
  const goals = goalsOf(measurements)
  const absent = notRun.map(({ row }) => row)
  const page = [
    `Medians of ${rounds} × ${seconds} s. ${connections} connections; equal rate ${rate}/s.`,
    '',
    markdownOf(table, absent),
    '',
    ...notRun.map(({ row, reason }) => `- ${row} is not run: ${reason}`),
    ...counts.map((count) => `- ${count.topic}: ${sentenceOf(count)}`),
    '',
    markdownOfGoals(goals)
  ]
  const figures = { rounds, seconds, connections, rate, counts, notRun, goals, table, measurements }
  return { isComplete: counts.every(isComplete), page, figures }
}
