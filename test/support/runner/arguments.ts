/** What `npm test` was asked to run: phases by name, or tests by path. */
import { layOut } from '../../../core/lay-out.ts'
import { phaseNames, phaseOf, phaseOfPath, phases } from './phases.ts'
import type { PhaseName } from './phases.ts'

export type Plan = {
  phases: PhaseName[]
  /** Path patterns for jest; empty means every test of the phase. */
  filters: string[]
  /** Runs each phase whole, whether or not its inputs changed. */
  isAll: boolean
  /** Leaves the stack running for the next run, or ends one that was left. */
  stack: 'end' | 'keep' | 'stop'
}

const flags = ['--all', '--keep', '--stop'] as const
const about = phaseNames.map((name) => [name, `${phaseOf(name).about}${remarkOf(name)}`])

export const helpText = `npm test                            the gate: what a change must pass
npm run test:all                    everything but what needs to be named, faults included
npm test -- unit contract           these phases
npm test -- test/e2e/logs           test files whose path begins so, in the phase they belong to
npm test -- --keep [...]            leave the stack running: the next run starts in seconds
npm test -- --stop                  end a stack that was left running
npm test -- --help                  this text

${layOut(about).join('\n')}

Most phases use Kafka, a schema registry, Redis and Postgres of their own, on free ports, which end
with the run. SLUICE_STACK=native, docker or external chooses how they are started.
`

function remarkOf(name: PhaseName): string {
  const { runs } = phaseOf(name)
  if (runs === 'changed') return '; left out while its files are as they were when it last passed'
  return runs === 'asked' ? '; only when named' : ''
}

/** @throws with a sentence when an argument is neither a phase, a flag nor a path below test/. */
export function planOf(args: readonly string[]): Plan {
  const given = args.filter((arg) => flags.some((flag) => flag === arg))
  const filters = args.filter((arg) => /^([.]\/)?test\//.test(arg))
  const names = args.filter((arg) => !filters.includes(arg) && !given.includes(arg))
  const unknown = names.filter((name) => !(name in phases))
  if (unknown.length > 0) {
    throw new Error(`${unknown.join(', ')}: neither a phase nor a path below test/ (try --help)`)
  }
  const wanted = new Set([...names, ...filters.map(phaseOfPath)])
  const isWanted = (name: PhaseName): boolean =>
    wanted.size === 0 ? phaseOf(name).runs !== 'asked' : wanted.has(name)
  return {
    phases: phaseNames.filter(isWanted),
    filters: filters.map((filter) => filter.replace(/^[.]\//, '')),
    // What is named is wanted, changed or not.
    isAll: given.includes('--all') || wanted.size > 0,
    stack: given.includes('--stop') ? 'stop' : given.includes('--keep') ? 'keep' : 'end'
  }
}

/** The filters that concern a phase; a phase that was also named runs whole. */
export function filtersOf({ filters }: Plan, phase: PhaseName): string[] {
  return filters.filter((filter) => phaseOfPath(filter) === phase)
}
