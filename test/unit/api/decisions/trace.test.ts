/** Tests that a trace is ordered as a tree, whatever parents the senders chose. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { treeOf } from '../../../../api/decisions/trace.ts'

/** Builds nodes from texts such as `child<parent`, and returns the tree as indented ids. */
function indented(...texts: string[]): string[] {
  const nodes = texts.map((text) => {
    const [decision_id = '', parent_decision_id = null] = text.split('<')
    return { decision_id, parent_decision_id }
  })
  return treeOf(nodes).map(({ node, depth }) => '-'.repeat(depth) + node.decision_id)
}

test.each([
  [
    ['call<agent', 'agent', 'tool<agent'],
    ['agent', '-call', '-tool']
  ],
  [
    ['c<b', 'b<a', 'a', 'd<a'],
    ['a', '-b', '--c', '-d']
  ],
  [
    ['a', 'b', 'b1<b', 'a1<a'],
    ['a', '-a1', 'b', '-b1']
  ],
  [[], []]
])('%j: parents come first, and siblings keep their order', (nodes, tree) => {
  expect(indented(...nodes)).toEqual(tree)
})

test('a decision whose parent is missing is a root, with its own children', () => {
  expect(indented('call<agent', 'other', 'part<call')).toEqual(['call', '-part', 'other'])
})

test.each([
  [['a<a'], ['a']],
  [
    ['a<b', 'b<a'],
    ['a', '-b']
  ],
  [
    ['x<b', 'a<b', 'b<a'],
    ['b', '-x', '-a']
  ],
  [
    ['a<c', 'b<a', 'c<b', 'root'],
    ['root', 'a', '-b', '--c']
  ]
])('%j: a cycle is cut at one of its members', (nodes, tree) => {
  expect(indented(...nodes)).toEqual(tree)
})

test('returns each node once, below its parent unless that is missing or in a cycle', () => {
  const id = fc.integer({ min: 0, max: 12 }).map(String)
  const node = fc.record({ decision_id: id, parent_decision_id: fc.option(id) })
  const nodesOf = fc.uniqueArray(node, { selector: ({ decision_id }) => decision_id })
  fc.assert(
    fc.property(nodesOf, (nodes) => {
      const tree = treeOf(nodes)
      const sorted = (given: typeof nodes) => given.map(({ decision_id }) => decision_id).toSorted()
      expect(sorted(tree.map((entry) => entry.node))).toEqual(sorted(nodes))
      for (const [index, { node: child, depth }] of tree.entries()) {
        if (depth === 0) continue
        // The parent is the last entry before it with a smaller depth.
        const parent = tree.slice(0, index).findLast((entry) => entry.depth < depth)
        expect(parent?.depth).toBe(depth - 1)
        expect(parent?.node.decision_id).toBe(child.parent_decision_id)
      }
    })
  )
})
