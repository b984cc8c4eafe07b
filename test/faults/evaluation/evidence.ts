/** What the judge of a run looks at: ledger, topics, tables and the log of the judge server. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgeEvent } from '../../support/judge-server.ts'
import type { Identity } from '../storage/ledger-line.ts'
import type { EvaluationLine } from './ledger-line.ts'

/** A run by its names; what a rule plans for a decision is one of generation 0. */
export interface RunName {
  readonly identity: Identity
  readonly run_id: string
  readonly rule_id: string
  readonly evaluator_id: string
}

/** A run as it ended, in a record of the topic or in a row. */
export interface EndedRun extends RunName {
  readonly status: string
  readonly status_reason: string | null
  /** Of its scores: equal when they say the same. */
  readonly scores: string
  /** Milliseconds since 1970. */
  readonly endedAt: number
}

export interface PlanRow {
  readonly identity: Identity
  readonly runs: number
  readonly outcomes: readonly string[]
}

export interface AttemptRow {
  readonly run_id: string
  readonly attempt: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Null when its process was killed meanwhile. */
  readonly finishedAt: number | null
  readonly outcome: string | null
}

export interface EvaluationEvidence {
  readonly ledger: readonly EvaluationLine[]
  /** Of each record of the decisions topic. */
  readonly decisions: readonly Identity[]
  readonly published: readonly EndedRun[]
  readonly plans: readonly PlanRow[]
  readonly open: readonly RunName[]
  readonly stored: readonly EndedRun[]
  readonly attempts: readonly AttemptRow[]
  /** What the judge server wrote down. */
  readonly calls: readonly JudgeEvent[]
}

export type EvidencePart = keyof EvaluationEvidence

/** What is read from where it is; ledger and calls are written by the run itself. */
const foundParts = ['decisions', 'published', 'plans', 'open', 'stored', 'attempts'] as const
export type Found = Pick<EvaluationEvidence, (typeof foundParts)[number]>

export function fileOf(folder: string, part: EvidencePart): string {
  return join(folder, `${part}.jsonl`)
}

export function writeFound(folder: string, found: Found): void {
  for (const part of foundParts) {
    const lines = found[part].map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(fileOf(folder, part), lines.join(''))
  }
}

/** What an earlier reading has left in the folder. */
export function readEvaluationEvidence(folder: string): EvaluationEvidence {
  return {
    ledger: readPart(folder, 'ledger'),
    calls: readPart(folder, 'calls'),
    decisions: readPart(folder, 'decisions'),
    published: readPart(folder, 'published'),
    plans: readPart(folder, 'plans'),
    open: readPart(folder, 'open'),
    stored: readPart(folder, 'stored'),
    attempts: readPart(folder, 'attempts')
  }
}

export function readPart<Part extends EvidencePart>(
  folder: string,
  part: Part
): EvaluationEvidence[Part] {
  const path = fileOf(folder, part)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const values = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown)
  return values as unknown as EvaluationEvidence[Part]
}
