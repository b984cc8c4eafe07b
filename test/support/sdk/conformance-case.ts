/** Reads the cases of sdk/conformance and validates them against their JSON Schema. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Behaviour } from './behaviour.ts'
import type { ServerScript } from './scripted-server.ts'

export interface ConformanceCase {
  readonly name: string
  /** Purpose of the case, if the name does not state it. */
  readonly about?: string
  /** True if the case measures time and therefore cannot run in parallel with others. */
  readonly alone?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly options?: Members
  readonly server?: ServerScript
  readonly steps: readonly Step[]
  readonly expect?: Expectations
}

export type Members = Readonly<Record<string, unknown>>

export interface Step {
  readonly do: string
  readonly expect?: Members
  /** Server behaviour that the step `server` sets. */
  readonly behave?: Behaviour
  readonly listening?: boolean
  /** Condition of the step `wait`. */
  readonly until?: { readonly requests?: number; readonly held?: number; readonly pending?: number }
  readonly how?: string
  readonly [member: string]: unknown
}

export interface Expectations {
  /**
   * Decisions that the server must have stored: `all`, a count, a matcher for the count, or
   * positions in logging order.
   */
  readonly held?: 'all' | number | readonly number[] | Members
  readonly requests?: number | Members
  readonly connections?: number | Members
  readonly request?: readonly (Members & { readonly nth: number })[]
  readonly gaps?: {
    readonly between?: readonly (Members & { readonly before: number })[]
    readonly longest?: Members
    readonly spread?: Members
  }
  readonly decisions?: readonly ExpectedDecision[]
  readonly stats?: Members
  readonly dropped?: Members
  readonly client_report?: Members
  readonly strays?: number
  readonly stderr?: { readonly has?: readonly string[]; readonly lacks?: readonly string[] }
  readonly stderr_lines?: number | Members
  readonly exit?: Members
  /** Expected number of stored decisions for each session that has any. */
  readonly whole_sessions?: number
  /** Expected number of decisions that were stored or reported on stderr as not sent. */
  readonly sent_or_said?: number
  /** Requires that no JSON object in a request has duplicate members. */
  readonly single_members?: true
}

export type ExpectedDecision = Members & {
  readonly nth: number
  /** Expected JSON text of `input`, without insignificant whitespace. */
  readonly input_text?: string
  readonly depth_max?: number
  /** Expected values of `metadata.sdk_changes`, in any order. */
  readonly changes?: readonly string[]
  readonly changes_count?: number
}

const folder = join(import.meta.dirname, '..', '..', '..', 'sdk', 'conformance')

interface CaseFile {
  readonly file: string
  readonly text: string
}

export function readCaseFiles(): CaseFile[] {
  const cases = join(folder, 'cases')
  return readdirSync(cases)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, text: readFileSync(join(cases, file), 'utf8') }))
}

export function casesOf({ text }: CaseFile): readonly ConformanceCase[] {
  return (JSON.parse(text) as { cases: readonly ConformanceCase[] }).cases
}

/** Returns the schema violations in a file of cases. */
export function findCaseFaults({ text }: CaseFile): string[] {
  const schema = JSON.parse(readFileSync(join(folder, 'case.schema.json'), 'utf8')) as object
  const check = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  check(JSON.parse(text))
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' ')
  )
}
