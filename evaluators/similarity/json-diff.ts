/** How alike two JSON values are, leaf by leaf; the order of members does not count. */
import { Decimal, isSameNumber } from '../text/decimal.ts'

/** Values that are compared. */
export const comparedNodesMax = 10_000

export interface JsonLikeness {
  /** From 0 to 1: the part of all leaves, of either value, that are the same in both. */
  readonly share: number
  /** Where the first difference stands, as the path in the reference. */
  readonly firstDifference: string | null
}

interface Count {
  leaves: number
  same: number
  nodes: number
  firstDifference: string | null
}

/** Null when there is too much to compare. Values nest as deeply as `jsonValueOf` reads. */
export function compareJson(reference: unknown, value: unknown): JsonLikeness | null {
  const count: Count = { leaves: 0, same: 0, nodes: 0, firstDifference: null }
  compare({ reference, value, path: '' }, count)
  if (count.nodes > comparedNodesMax) return null
  const share = count.leaves === 0 ? 1 : count.same / count.leaves
  return { share, firstDifference: count.firstDifference }
}

interface Pair {
  readonly reference: unknown
  readonly value: unknown
  readonly path: string
}

/** Stands for a member that one of the two does not have. */
const absent = Symbol('absent')

function compare(pair: Pair, count: Count): void {
  const { reference, value } = pair
  count.nodes += 1
  if (count.nodes > comparedNodesMax) return
  const isList = Array.isArray(reference) && Array.isArray(value)
  const isObject = isRecord(reference) && isRecord(value)
  if (isList || isObject) {
    compareMembers(pair, count)
    return
  }
  const isSame = isSameLeaf(reference, value)
  // Of what only one of them has, each leaf is a difference.
  const leaves = isSame ? 1 : Math.max(leavesOf(reference, count), leavesOf(value, count))
  count.leaves += leaves
  if (isSame) count.same += 1
  else count.firstDifference ??= pair.path
}

function compareMembers({ reference, value, path }: Pair, count: Count): void {
  const [one, other] = [membersOf(reference), membersOf(value)]
  const names = new Set([...one.keys(), ...other.keys()])
  // Two empty ones are the same, which counts as one leaf.
  if (names.size === 0) {
    count.leaves += 1
    count.same += 1
  }
  for (const name of names) {
    const pair = {
      reference: one.has(name) ? one.get(name) : absent,
      value: other.has(name) ? other.get(name) : absent,
      path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    }
    compare(pair, count)
  }
}

function isRecord(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Decimal)
  )
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value as object))
}

function isSameLeaf(one: unknown, other: unknown): boolean {
  return isNumber(one) && isNumber(other) ? isSameNumber(one, other) : one === other
}

function isNumber(value: unknown): value is number | Decimal {
  return typeof value === 'number' || value instanceof Decimal
}

function leavesOf(value: unknown, count: Count): number {
  count.nodes += 1
  if (count.nodes > comparedNodesMax || (!isRecord(value) && !Array.isArray(value))) return 1
  const members = Object.values(value)
  return Math.max(
    1,
    members.reduce<number>((leaves, member) => leaves + leavesOf(member, count), 0)
  )
}
