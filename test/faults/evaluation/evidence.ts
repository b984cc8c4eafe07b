/** Saves and loads the evidence of an evaluation run: ledger, topics, tables and judge calls. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgeEvent } from '../../support/judge-server.ts'
import type { Identity } from '../storage/ledger-line.ts'
import type { EvaluationLine } from './ledger-line.ts'

/** Identifies a run of generation 0. */
export interface RunName {
  readonly identity: Identity
  readonly run_id: string
  readonly rule_id: string
  readonly evaluator_id: string
}

/** Ended run, read from a record or a row. */
export interface EndedRun extends RunName {
  readonly status: string
  readonly status_reason: string | null
  /** Hash of the scores, for comparison; empty if there are none. */
  readonly scores: string
  /** Milliseconds since the Unix epoch. */
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
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /**
   * Milliseconds since the Unix epoch; null if the attempt never ended, usually because the process
   * was killed.
   */
  readonly finishedAt: number | null
  readonly outcome: string | null
}

export interface EvaluationEvidence {
  readonly ledger: readonly EvaluationLine[]
  /** Identities of all records on the decisions topic, including duplicates. */
  readonly decisions: readonly Identity[]
  readonly published: readonly EndedRun[]
  readonly plans: readonly PlanRow[]
  readonly open: readonly RunName[]
  readonly stored: readonly EndedRun[]
  readonly attempts: readonly AttemptRow[]
  /** Log of the judge server. */
  readonly calls: readonly JudgeEvent[]
}

type EvidencePart = keyof EvaluationEvidence

/**
 * Parts that are read from topics and tables after the run. The ledger and the calls are written
 * during the run.
 */
const readParts = ['decisions', 'published', 'plans', 'open', 'stored', 'attempts'] as const
export type ReadEvidence = Pick<EvaluationEvidence, (typeof readParts)[number]>

export function fileOf(folder: string, part: EvidencePart): string {
  return join(folder, `${part}.jsonl`)
}

export function writeEvidenceParts(folder: string, found: ReadEvidence): void {
  for (const part of readParts) {
    const lines = found[part].map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(fileOf(folder, part), lines.join(''))
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
