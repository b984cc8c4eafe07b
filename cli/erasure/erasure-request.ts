/** Validates the options of `sluice erase`, and determines the requested action. */
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
  /** File with the output of `--list --json`. */
  readonly repeat?: string
  readonly json?: boolean
}

export interface ErasureTarget {
  /** ID or name of the organization. */
  readonly organization: string
  readonly scope: ErasureScope
  /** ID of the decision, session or agent. Null for the whole organization. */
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

/** @throws {Error} that says which options to pass */
export function eraseActionOf(options: EraseOptions): EraseAction {
  const { organization = null } = options
  requireOneAction(options)
  const { repeat } = options
  if (repeat !== undefined) return repeatOf(repeat, options)
  if (options.list === true || options.resume === true) {
    if (scopesOf(options).length > 0)
      throw new Error('--list and --resume accept only --organization')
    return { kind: options.list === true ? 'list' : 'resume', organization }
  }
  const target = targetOf(options)
  if (options.execute !== true) return { kind: 'count', target }
  const { reason, by } = options
  if (!reason || !by) throw new Error('--execute requires --reason and --by')
  return { kind: 'erase', target, reason, by }
}

function requireOneAction({ list, resume, execute, repeat }: EraseOptions): void {
  const actions = [list, resume, execute, repeat !== undefined].filter(Boolean)
  if (actions.length > 1)
    throw new Error('pass only one of --list, --resume, --repeat and --execute')
}

/**
 * Returns the action for `--repeat`. The file names the organization, target, reason and requester.
 */
function repeatOf(path: string, options: EraseOptions): EraseAction {
  const others = [options.organization, options.reason, options.by].filter(
    (each) => each !== undefined
  )
  if (others.length > 0 || scopesOf(options).length > 0) {
    throw new Error('--repeat reads all other options from its file; do not pass them')
  }
  return { kind: 'repeat', path }
}

function targetOf(options: EraseOptions): ErasureTarget {
  const { organization } = options
  if (!organization) throw new Error('--organization is missing; pass its id or name')
  const [first, ...others] = scopesOf(options)
  if (first === undefined || others.length > 0) {
    throw new Error('pass exactly one of --decision, --session, --agent and --everything')
  }
  const [scope, subject] = first
  if (subject === '') throw new Error(`--${scope} is empty`)
  if (scope !== 'decision') return { organization, scope, subject }
  if (subject === null || !isUuid(subject)) throw new Error('--decision is not a UUID')
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
