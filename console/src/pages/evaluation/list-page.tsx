/** A page of evaluation that is a list. */
import type { ComponentProps, ReactNode } from 'react'
import { usePages } from '../../api/use-api.ts'
import { PagedTable } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'

type TableProps<Row> = Pick<ComponentProps<typeof PagedTable<Row>>, 'columns' | 'keyOf'>

interface ListPageProps<Row> extends TableProps<Row> {
  readonly title: string
  readonly path: string
  readonly actions?: ReactNode
  /** Shown above the list. */
  readonly children?: ReactNode
}

export function ListPage<Row>({ title, path, actions, children, ...table }: ListPageProps<Row>) {
  const list = usePages<Row>(path, { pollMs: 10_000 })
  return (
    <Page {...{ title, actions }}>
      {children}
      <PagedTable {...table} {...{ list }} label={title} empty={`No ${title.toLowerCase()}.`} />
    </Page>
  )
}
