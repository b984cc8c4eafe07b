/** The cases of sdk/conformance as values: read, checked against their schema. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Behaviour } from './behaviour.ts'
import type { ServerScript } from './scripted-server.ts'

export interface ConformanceCase {
  readonly name: string
  /** Why it matters, where the name does not say it. */
  readonly about?: string
  /** It measures time, so nothing runs beside it. */
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
  /** Of `server`. */
  readonly behave?: Behaviour
  readonly listening?: boolean
  /** Of `wait`. */
  readonly until?: { readonly requests?: number; readonly held?: number; readonly pending?: number }
  readonly how?: string
  readonly [member: string]: unknown
}

export interface Expectations {
  /** All that were logged, so many of them, or these: 0 is the first that was logged. */
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
  /** Each session of which anything is held has so many decisions. */
  readonly whole_sessions?: number
  /** So many are held, or told of at the end as not sent. */
  readonly sent_or_said?: number
  /** No object of any request has two members of the same name. */
  readonly single_members?: true
}

export type ExpectedDecision = Members & {
  readonly nth: number
  /** The JSON text of `input` without insignificant whitespace. */
  readonly input_text?: string
  readonly depth_max?: number
  /** Of `metadata.sdk_changes`, in any order. */
  readonly changes?: readonly string[]
  readonly changes_count?: number
}

const folder = join(import.meta.dirname, '..', '..', '..', 'sdk', 'conformance')

export interface CaseFile {
  readonly file: string
  readonly text: string
}

export function readCaseFiles(): CaseFile[] {
  const cases = join(folder, 'cases')
  return readdirSync(cases)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, text: readFileSync(join(cases, file), 'utf8') }))
}

/** The cases of one file. */
export function casesOf({ text }: CaseFile): readonly ConformanceCase[] {
  return (JSON.parse(text) as { cases: readonly ConformanceCase[] }).cases
}

/** Says what is wrong with a file of cases; empty when nothing is. */
export function findCaseFaults({ text }: CaseFile): string[] {
  const schema = JSON.parse(readFileSync(join(folder, 'case.schema.json'), 'utf8')) as object
  const check = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  check(JSON.parse(text))
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' ')
  )
}
