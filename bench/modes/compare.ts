/** Default mode: compares all rows with each other and with the goals. */
import { goalsOf, markdownOfGoals } from '../report/goals.ts'
import type { BenchOptions } from '../options.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { isComplete, sentenceOf } from '../system/record-count.ts'
import { floor } from '../rows/floor.ts'
import { runSession } from '../session.ts'
import type { Session, SessionReport } from '../session.ts'
import { markdownOf, tableOf } from '../report/table.ts'

/** Measures the rows in rounds and saves the results after each round. */
export async function compareRows(session: Session): Promise<BenchResult> {
  let outcome: BenchResult = { isComplete: false, page: [], figures: null }
  for await (const report of runSession(session)) {
    outcome = resultOf(report, session.options)
    session.keep(outcome)
  }
  return outcome
}

/** Creates the result. It is incomplete if accepted decisions are missing from the topics. */
function resultOf(
  report: SessionReport,
  { seconds, connections, rate }: BenchOptions
): BenchResult {
  const { rounds, measurements, counts, notRun } = report
  const table = tableOf(measurements, floor.name)
  const goals = goalsOf(measurements)
  const absent = notRun.map(({ row }) => row)
  const page = [
    `Medians of ${rounds} × ${seconds} s. ${connections} connections; equal rate ${rate}/s.`,
    '',
    markdownOf(table, absent),
    '',
    ...notRun.map(({ row, reason }) => `- ${row} was not run: ${reason}`),
    ...counts.map((count) => `- ${count.topic}: ${sentenceOf(count)}`),
    '',
    markdownOfGoals(goals)
  ]
  const figures = { rounds, seconds, connections, rate, counts, notRun, goals, table, measurements }
  return { isComplete: counts.every(isComplete), page, figures }
}
