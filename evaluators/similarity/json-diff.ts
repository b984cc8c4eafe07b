/** JSON similarity: computes the share of equal leaves. The order of members does not matter. */
import { Decimal, isSameNumber } from '../text/decimal.ts'

/** Maximum number of compared values. */
const comparedNodesMax = 10_000

interface JsonSimilarity {
  /**
   * Share of all leaves that are equal, from 0 to 1. A leaf that exists in only one of the values
   * counts as different.
   */
  readonly share: number
  /** JSON pointer to the first difference. */
  readonly firstDifference: string | null
}

interface Count {
  leaves: number
  same: number
  nodes: number
  firstDifference: string | null
}

/**
 * Returns null if there are more than `comparedNodesMax` values. `jsonValueOf` limits the nesting.
 */
export function compareJson(reference: unknown, value: unknown): JsonSimilarity | null {
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

/** Stands for a member that exists only in the other object or array. */
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
  // If the values differ, all leaves of the larger value count as different.
  const leaves = isSame ? 1 : Math.max(leavesOf(reference, count), leavesOf(value, count))
  count.leaves += leaves
  if (isSame) count.same += 1
  else count.firstDifference ??= pair.path
}

function compareMembers({ reference, value, path }: Pair, count: Count): void {
  const [one, other] = [membersOf(reference), membersOf(value)]
  const names = new Set([...one.keys(), ...other.keys()])
  // Two empty objects or arrays are equal and count as one leaf.
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
