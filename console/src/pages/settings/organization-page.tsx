/** The organization of the session: its name, its rate limit, and a button that renames it. */
import type { organization } from '../../../../api/organization/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { Field } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Members } from '../../ui/members.tsx'
import { Page } from '../../ui/page.tsx'
import { RequestButton } from '../../ui/request-button.tsx'

const path = '/v1/auth/organization'

export function OrganizationPage() {
  const query = useRead<WireOf<typeof organization>>(path)
  const request = ({ text }: FormValues) => {
    return { path, method: 'PATCH' as const, body: { name: text('name') } }
  }
  const rename = (
    <RequestButton label="Rename" needs="admin" request={request}>
      <Field label="Name" name="name" required autoFocus defaultValue={query.data?.name} />
    </RequestButton>
  )
  return (
    <Page title="Organization" actions={rename}>
      <Loaded query={query} what="the organization">
        {({ rate_limit_points, role, ...facts }) => (
          <Members
            of={{
              ...facts,
              rate_limit: rate_limit_points ?? 'gateway default',
              your_role: role
            }}
          />
        )}
      </Loaded>
    </Page>
  )
}
