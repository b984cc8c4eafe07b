/** Compares two decisions: fields, scores with their versions, and the lines that differ. */
import { parseAsString, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import type { DecisionParts } from '../../decision/decision-text.ts'
import { formatCount, formatScore } from '../../text/format.ts'
import { indentOf, startOf } from '../../json/display-lines.ts'
import { useTextIndex } from '../../json/use-text-index.ts'
import { isUuid } from '../../text/is-uuid.ts'
import { visible } from '../../text/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Value } from '../../ui/members.tsx'
import { Page } from '../../ui/page.tsx'
import { useDecision } from '../decision/use-decision.ts'
import { diffLines } from './diff-lines.ts'
import type { DiffPart } from './diff-lines.ts'

export function ComparePage() {
  const [{ a, b }, setIds] = useQueryStates(
    { a: parseAsString.withDefault(''), b: parseAsString.withDefault('') },
    { history: 'push' }
  )
  return (
    <Page title="Compare decisions">
      <Form
        key={`${a} ${b}`}
        action="Compare"
        onSubmit={(values) => setIds({ a: values.text('a'), b: values.text('b') })}
      >
        <Field label="First decision" name="a" defaultValue={a} required />
        <Field label="Second decision" name="b" defaultValue={b} required />
      </Form>
      {isUuid(a) && isUuid(b) && <Both {...{ a, b }} />}
    </Page>
  )
}

function Both({ a, b }: { readonly a: string; readonly b: string }) {
  const [left, right] = [useDecision(a), useDecision(b)]
  return (
    <Loaded query={left} what="the first decision">
      {(one) => (
        <Loaded query={right} what="the second decision">
          {(other) => <Comparison {...{ one, other }} />}
        </Loaded>
      )}
    </Loaded>
  )
}

interface ComparisonProps {
  readonly one: DecisionParts
  readonly other: DecisionParts
}

function Comparison({ one, other }: ComparisonProps) {
  const [left, right] = [factsOf(one), factsOf(other)]
  const rows = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const columns = [
    { name: 'Field', cell: (name: string) => name },
    { name: 'Differs', cell: (name: string) => (left[name] === right[name] ? '' : 'differs') },
    { name: 'First', cell: (name: string) => <Value value={left[name]} /> },
    { name: 'Second', cell: (name: string) => <Value value={right[name]} /> }
  ]
  return (
    <>
      <DataTable label="Fields and scores" {...{ columns, rows }} keyOf={(name) => name} />
      {(['output', 'input', 'metadata'] as const).map((name) => (
        <LineDiff key={name} name={name} left={one.payload[name]} right={other.payload[name]} />
      ))}
    </>
  )
}

/** Returns the fields and the scores by name, as texts. */
function factsOf({ fields: { evaluation, ...fields } }: DecisionParts): Record<string, string> {
  const scores = Object.entries(evaluation.scores).map(([name, score]) => {
    const version = score.evaluator_version === null ? '' : ` (v${score.evaluator_version})`
    return [`score ${name}`, formatScore(score) + version]
  })
  const facts = { ...fields, status: evaluation.status, verdict: evaluation.verdict }
  const texts = Object.entries(facts).map(([name, value]) => [name, String(value ?? '–')])
  return Object.fromEntries([...texts, ...scores]) as Record<string, string>
}

const columnsMax = 120

/** Returns the lines of a text as the viewer shows them; null while they are not known. */
function usePrettyLines(text: string): readonly string[] | null {
  const index = useTextIndex(text, columnsMax, false)
  return useMemo(() => {
    if (index === null) return null
    const { lines } = index
    return Array.from({ length: lines.count }, (_, line) => {
      const indent = ' '.repeat(indentOf(lines.depths[line] ?? 0, columnsMax))
      return indent + text.slice(startOf(lines, line), startOf(lines, line + 1)).trim()
    })
  }, [index, text])
}

interface LineDiffProps {
  readonly name: string
  readonly left: string
  readonly right: string
}

function LineDiff({ name, left, right }: LineDiffProps) {
  const [one, other] = [usePrettyLines(left), usePrettyLines(right)]
  const parts = useMemo(() => one && other && diffLines(one, other), [one, other])
  const isSame = left === right
  return (
    <section aria-labelledby={`diff-${name}`}>
      <h2 id={`diff-${name}`}>{name}</h2>
      {isSame ? (
        <p className="quiet">Identical</p>
      ) : (
        <pre className="command diff">
          {parts?.map((part, index) => (
            <Part key={index} {...part} />
          ))}
        </pre>
      )}
    </section>
  )
}

/** Identical lines beyond this number are folded. */
const sameShown = 6
/** More lines would make the page slow. */
const linesShown = 2000

export function Part({ kind, lines }: DiffPart) {
  const shown = lines.slice(0, linesShown).map(visible).join('\n')
  const rest = lines.length - linesShown
  const text = rest > 0 ? `${shown}\n… ${formatCount(rest, 'more line')}` : shown
  if (kind === 'left') return <del>{text}</del>
  if (kind === 'right') return <ins>{text}</ins>
  if (lines.length <= sameShown) return <span>{text}</span>
  return (
    <details>
      <summary>{formatCount(lines.length, 'identical line')}</summary>
      {text}
    </details>
  )
}
