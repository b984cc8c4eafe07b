/** The connections to providers of models, with the state of their circuits. */
import type { connection } from '../../../../api/connections/schemas.ts'
import type { WireOf } from '../../api/wire.ts'
import { explain } from '../../decision/explain.ts'
import type { TableColumn } from '../../ui/data-table.tsx'
import { visible } from '../../text/visible.ts'
import { Field, JsonField } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { memberColumns, Value } from '../../ui/members.tsx'
import { Pill } from '../../ui/pill.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { ListPage } from './list-page.tsx'

type Connection = WireOf<typeof connection>
const path = '/v1/evaluation/connections'
const models = [{ model: 'gpt-5-mini', usd_per_million_input: 0.25, usd_per_million_output: 2 }]

const columns: readonly TableColumn<Connection>[] = [
  ...memberColumns<Connection>('name', 'base_url', 'has_api_key', 'api_key_hint', 'models'),
  { name: 'Circuit', cell: ({ circuit }) => <Pill word={circuit.state} /> },
  { name: 'Since', cell: ({ circuit }) => <Value value={circuit.since} /> },
  { name: 'Reason', cell: ({ circuit }) => <Value value={explain(circuit.reason)} /> },
  { name: 'Actions', cell: actionsOf }
]

export function ConnectionsPage() {
  return (
    <ListPage
      title="Connections"
      path={path}
      actions={<CreateConnection />}
      columns={columns}
      keyOf={({ connection_id }: Connection) => connection_id}
    />
  )
}

function CreateConnection() {
  const requestOf = ({ text, textOrNull, json }: FormValues) => {
    const [name, base_url, api_key] = [text('name'), text('base_url'), textOrNull('api_key')]
    return { path, body: { name, base_url, api_key, models: json('models') } }
  }
  return (
    <RequestButton label="Create connection" needs="admin" isPrimary request={requestOf}>
      <Field label="Name" name="name" required />
      <Field label="Base URL" name="base_url" hint="Without /chat/completions." required />
      <Field
        label="API key"
        name="api_key"
        type="password"
        autoComplete="off"
        hint="Stored encrypted and never shown again."
      />
      <JsonField label="Models and prices in US dollars (JSON)" name="models" value={models} />
    </RequestButton>
  )
}

function actionsOf({ connection_id, name, models: [first] }: Connection) {
  const own = `${path}/${connection_id}`
  const testOf = ({ text }: FormValues) => ({ path: `${own}/test`, body: { model: text('model') } })
  const remove = () => ({ path: own, method: 'DELETE' as const })
  return (
    <div className="row-actions">
      <RequestButton label="Test" of={visible(name)} needs="admin" staysOpen request={testOf}>
        <Field label="Model" name="model" required defaultValue={first?.model} />
        The provider charges for the call.
      </RequestButton>
      <RequestButton label="Delete" of={visible(name)} needs="admin" request={remove}>
        The key is deleted, and the pending runs of the connection are canceled.
      </RequestButton>
    </div>
  )
}
