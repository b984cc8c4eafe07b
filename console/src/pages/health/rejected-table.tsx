/** The last rejected requests, without their payload. */
import type { rejections } from '../../../../api/ingestion/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { visible } from '../../text/visible.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'

type Rejections = WireOf<typeof rejections>
type Rejection = NonNullable<Rejections['data']>[number]

const pollMs = 3000

export function RejectedTable() {
  const rejected = useRead<Rejections>('/v1/ingestion/refused', { pollMs })
  return (
    <section aria-labelledby="rejected">
      <h2 id="rejected">Last rejected requests</h2>
      <Loaded query={rejected} what="the rejected requests">
        {({ data }) => {
          if (data === null)
            return <p>Redis is unavailable, so the rejected requests are unknown.</p>
          if (data.length === 0) return <p>No request was rejected.</p>
          return (
            <DataTable
              label="Last rejected requests"
              rows={data}
              keyOf={({ request_id, code, at }) => `${request_id} ${code} ${at}`}
              columns={columns}
            />
          )
        }}
      </Loaded>
    </section>
  )
}

const columns = [
  { name: 'Time', cell: ({ at }: Rejection) => <Time iso={at} /> },
  { name: 'Status', isNumber: true, cell: ({ status }: Rejection) => status },
  {
    name: 'Problem',
    cell: ({ code, detail }: Rejection) => (
      <>
        <code>{visible(code)}</code> {visible(detail)}
      </>
    )
  },
  { name: 'Key', cell: ({ key_name, key_id }: Rejection) => visible(key_name ?? key_id) },
  { name: 'Agent', cell: ({ agent_id }: Rejection) => textOr(agent_id, '–') },
  { name: 'SDK', cell: ({ sdk_version }: Rejection) => textOr(sdk_version, 'none') },
  {
    name: 'Request',
    cell: ({ request_id }: Rejection) => <CopyButton text={request_id} label="Copy id" />
  }
]

function textOr(text: string | null, none: string) {
  return text === null ? none : <bdi>{visible(text)}</bdi>
}
