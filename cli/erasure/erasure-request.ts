/** What the options of `sluice erase` ask for, or what is wrong with them. */
import type { ErasureScope } from '../../core/decision/erasure.ts'
import { isUuid } from '../../core/ids/ids.ts'

export interface EraseOptions {
  readonly organization?: string
  readonly decision?: string
  readonly session?: string
  readonly agent?: string
  readonly everything?: boolean
  readonly reason?: string
  readonly by?: string
  readonly execute?: boolean
  readonly resume?: boolean
  readonly list?: boolean
  /** A file with what `--list --json` printed. */
  readonly repeat?: string
  readonly json?: boolean
}

export interface ErasureTarget {
  /** The id of the organization, or its name. */
  readonly organization: string
  readonly scope: ErasureScope
  /** The id of the decision, session or agent; null for the whole organization. */
  readonly subject: string | null
}

export type EraseAction =
  | { readonly kind: 'list'; readonly organization: string | null }
  | { readonly kind: 'resume'; readonly organization: string | null }
  | { readonly kind: 'repeat'; readonly path: string }
  | { readonly kind: 'count'; readonly target: ErasureTarget }
  | {
      readonly kind: 'erase'
      readonly target: ErasureTarget
      readonly reason: string
      readonly by: string
    }

/** @throws with what to give instead. */
export function eraseActionOf(options: EraseOptions): EraseAction {
  const { organization = null } = options
  refuseSeveral(options)
  const { repeat } = options
  if (repeat !== undefined) return repeatOf(repeat, options)
  if (options.list === true || options.resume === true) {
    if (scopesOf(options).length > 0) throw new Error('that takes no more than --organization')
    return { kind: options.list === true ? 'list' : 'resume', organization }
  }
  const target = targetOf(options)
  if (options.execute !== true) return { kind: 'count', target }
  const { reason, by } = options
  if (!reason || !by) throw new Error('--execute needs --reason and --by, for the record')
  return { kind: 'erase', target, reason, by }
}

function refuseSeveral({ list, resume, execute, repeat }: EraseOptions): void {
  const asked = [list, resume, execute, repeat !== undefined].filter(Boolean)
  if (asked.length > 1) throw new Error('give one of --list, --resume, --repeat and --execute')
}

/** The list says all of it: of which organization, what, why and by whom. */
function repeatOf(path: string, options: EraseOptions): EraseAction {
  const others = [options.organization, options.reason, options.by].filter(
    (each) => each !== undefined
  )
  if (others.length > 0 || scopesOf(options).length > 0) {
    throw new Error('--repeat takes the rest from its file')
  }
  return { kind: 'repeat', path }
}

function targetOf(options: EraseOptions): ErasureTarget {
  const { organization } = options
  if (!organization) throw new Error('give --organization, by its id or name')
  const [found, ...others] = scopesOf(options)
  if (found === undefined || others.length > 0) {
    throw new Error('give exactly one of --decision, --session, --agent and --everything')
  }
  const [scope, subject] = found
  if (subject === '') throw new Error(`--${scope} is empty`)
  if (scope !== 'decision') return { organization, scope, subject }
  if (subject === null || !isUuid(subject)) throw new Error('--decision is no UUID')
  return { organization, scope, subject: subject.toLowerCase() }
}

function scopesOf(options: EraseOptions): (readonly [ErasureScope, string | null])[] {
  const { decision, session, agent, everything } = options
  return [
    ...(decision === undefined ? [] : [['decision', decision] as const]),
    ...(session === undefined ? [] : [['session', session] as const]),
    ...(agent === undefined ? [] : [['agent', agent] as const]),
    ...(everything === true ? [['organization', null] as const] : [])
  ]
}
