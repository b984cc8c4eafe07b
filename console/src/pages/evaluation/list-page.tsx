/** A page of evaluation that is a list. */
import type { ComponentProps } from 'react'
import { usePages } from '../../api/use-api.ts'
import { PagedTable } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'

const pollMs = 10_000
type TableProps<Row> = Pick<ComponentProps<typeof PagedTable<Row>>, 'columns' | 'keyOf'>
type ListPageProps<Row> = ComponentProps<typeof Page> & TableProps<Row> & { readonly path: string }

export function ListPage<Row>({ path, columns, keyOf, children, ...page }: ListPageProps<Row>) {
  const list = usePages<Row>(path, { pollMs })
  const label = page.title
  return (
    <Page {...page}>
      {children}
      <PagedTable {...{ label, list, columns, keyOf }} empty={`No ${label.toLowerCase()}.`} />
    </Page>
  )
}
