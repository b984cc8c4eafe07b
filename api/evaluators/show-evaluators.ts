/** GET of /v1/evaluation/evaluators: all, one, its versions. */
import { jsonReply } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { cursorOf, listPage, versionBefore } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { jsonListOf } from '../json-list.ts'
import { upToBytes } from '../up-to-bytes.ts'
import { builtInStored, evaluatorView, readEvaluator } from './evaluator-rows.ts'
import { readEvaluatorNames, readEvaluators, readVersionSizes } from './evaluator-rows.ts'
import { readVersion, readVersions } from './evaluator-rows.ts'
import type { EvaluatorName, StoredEvaluator } from './evaluator-rows.ts'

/** Of the configurations on a page; the one that goes beyond is the first of the next page. */
const pageBytesMax = 4 * 2 ** 20

export function createShowEvaluators({ store }: { readonly store: Store }) {
  const listEvaluators: SessionHandle = async ({ principal, query }) => {
    const ours = store.of(principal.organization_id)
    const listed = entriesOf(await readEvaluatorNames(ours))
    const { page, meta } = listPage(listed, query as unknown as PageQuery, ({ key }) => key)
    const shown = upToBytes(page, pageBytesMax)
    const ids = shown.map(({ evaluator_id }) => evaluator_id)
    const found = new Map(
      (await readEvaluators(ours, ids)).map((each) => [each.version.evaluator_id, each])
    )
    const evaluators = ids.flatMap((id) => found.get(id) ?? [])
    const last = shown.length < page.length ? shown.at(-1) : undefined
    return pageReply(
      evaluators,
      last === undefined ? meta : { ...meta, next_cursor: cursorOf(last.key) }
    )
  }

  const showEvaluator: SessionHandle = async ({ principal, params }) => {
    const id = params['evaluator_id'] ?? ''
    const found = await readEvaluator(store.of(principal.organization_id), id)
    return jsonReply(200, JSON.stringify(evaluatorView(existing('evaluator', found, id))))
  }

  const listVersions: SessionHandle = async ({ principal, params, query }) => {
    const id = params['evaluator_id'] ?? ''
    const ours = store.of(principal.organization_id)
    existing('evaluator', await readEvaluator(ours, id), id)
    const { limit, cursor } = query as unknown as PageQuery
    const below = versionBefore(cursor)
    const sizes = await readVersionSizes(ours, id, { below, rowsMax: limit + 1 })
    const shown = upToBytes(sizes.slice(0, limit), pageBytesMax).map(({ version }) => version)
    const last = sizes.length > shown.length ? shown.at(-1) : undefined
    const next_cursor = last === undefined ? null : cursorOf(String(last))
    return pageReply(await readVersions(ours, id, shown), { next_cursor, limit })
  }

  const showVersion: SessionHandle = async ({ principal, params }) => {
    const { evaluator_id: id = '', version = '' } = params
    const found = await readVersion(store.of(principal.organization_id), id, Number(version))
    const name = `${id}, version ${version}`
    return jsonReply(200, JSON.stringify(evaluatorView(existing('evaluator', found, name))))
  }

  return { listEvaluators, showEvaluator, listVersions, showVersion }
}

async function pageReply(evaluators: readonly StoredEvaluator[], meta: object): Promise<Reply> {
  const data = await jsonListOf(evaluators, evaluatorView)
  return jsonReply(200, `{"data":${data},"meta":${JSON.stringify(meta)}}`)
}

interface Entry {
  readonly evaluator_id: string
  readonly key: string
  readonly bytes: number
}

/** Built-in ones in their own order, then the others by name. */
function entriesOf(names: readonly EvaluatorName[]): Entry[] {
  const first = builtInStored.map(({ version }, index) => {
    const key = `0${String(index).padStart(3, '0')}`
    return { evaluator_id: version.evaluator_id, key, bytes: 0 }
  })
  const own = names.map(({ evaluator_id, name, bytes }) => ({
    evaluator_id,
    key: `1${name}`,
    bytes
  }))
  return [...first, ...own.toSorted((left, right) => (left.key < right.key ? -1 : 1))]
}
