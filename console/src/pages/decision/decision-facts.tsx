/** The fields of a decision. */
import type { ReactNode } from 'react'
import { visible } from '../../text/visible.ts'
import type { DecisionFields } from '../../api/wire.ts'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/time.tsx'

export function DecisionFacts({ fields }: { readonly fields: DecisionFields }) {
  const { input_tokens, output_tokens } = fields
  return (
    <dl className="facts">
      <Fact name="Received">
        <Time iso={fields.received_at} />
      </Fact>
      <Fact name="Stored">
        <Time iso={fields.stored_at} />
      </Fact>
      <Fact name="Verdict">
        <Pill word={fields.evaluation.verdict} />
      </Fact>
      <TextFact name="Agent" text={fields.agent_id} />
      <TextFact name="Session" text={fields.session_id} />
      <TextFact name="Domain" text={fields.domain} />
      <TextFact name="Input tokens" text={input_tokens === null ? null : String(input_tokens)} />
      <TextFact name="Output tokens" text={output_tokens === null ? null : String(output_tokens)} />
      <TextFact name="SDK" text={fields.sdk_version} />
      <TextFact name="Fingerprint" text={fields.fingerprint} />
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function TextFact({ name, text }: { readonly name: string; readonly text: string | null }) {
  return <Fact name={name}>{text === null ? 'not sent' : <bdi>{visible(text)}</bdi>}</Fact>
}
