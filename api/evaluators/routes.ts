/** Routes for evaluators, their versions and their tests. */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import { admin, member, session } from '../../http/typed-route.ts'
import { refuseBuiltIn, refuseUsed } from '../configuration/problems.ts'
import { cancelRuns, withOrganizationLock } from '../configuration/with-organization-lock.ts'
import { cursorOf, deletedOf, listPage, pageOf, pageQuery, pageReply } from '../page.ts'
import { upToBytes, versionBefore } from '../page.ts'
import { readRules } from '../rules/queries.ts'
import { routesOf } from '../services.ts'
import { preflight, unsaved } from './preflight.ts'
import * as queries from './queries.ts'
import { evaluatorsMax, isBuiltIn } from './queries.ts'
import type { StoredEvaluator } from './queries.ts'
import { checkedDraftOf, judgedHashOf, mergedDraftOf } from './save-evaluator.ts'
import { refuseNames, saveChange, saveEvaluator } from './save-evaluator.ts'
import * as schemas from './schemas.ts'
import { testEvaluator } from './test-evaluator.ts'

const path = '/v1/evaluation/evaluators'
const route = routesOf('evaluators')
const params = schemas.evaluatorParams

/**
 * Maximum total size in bytes of the configurations on a page. An evaluator that would exceed it
 * starts the next page.
 */
const pageBytesMax = 4 * 2 ** 20

const builtInDetail = 'This evaluator is built in and cannot be changed. Create your own instead.'
const allowance =
  'Checks, tests and rule previews of an organization share one second of compute time per minute.'
const howTested =
  'Runs the evaluator on decisions by id, on the newest decisions, or on a decision in the ' +
  'request. A judge costs what its calls cost. After one minute, the remaining decisions ' +
  `fail with \`timeout\`. ${allowance}`

const savingProblems = ['compute_limited', 'secrets_key_missing', 'changes_limited'] as const
const page = { 200: { description: 'A page of evaluators.', schema: pageOf(schemas.evaluator) } }
const tested = {
  200: {
    description: 'The result for each decision. Nothing is stored.',
    schema: schemas.testResults
  }
}

/** Every session can read, members can run tests, and only admins can change evaluators. */
export const evaluatorRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listEvaluators',
    summary: 'List evaluators',
    description:
      'Lists the latest version of each evaluator: first the built-in evaluators, which every ' +
      'organization has, then your own by name.',
    query: pageQuery('entries'),
    answers: page,
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query }, { store }) => {
      const ours = store.of(principal.organization_id)
      const { data, meta } = listPage(await queries.readEntries(ours), query, 'key')
      const shown = upToBytes(data, pageBytesMax)
      const ids = shown.map(({ evaluator_id }) => evaluator_id)
      const found = await queries.readEvaluators(ours, ids)
      const byId = new Map(found.map((each) => [each.version.evaluator_id, each]))
      const last = shown.length < data.length ? shown.at(-1) : undefined
      const next_cursor = last === undefined ? meta.next_cursor : cursorOf(last.key)
      const evaluators = ids.flatMap((id) => byId.get(id) ?? [])
      return pageReply(evaluators, evaluatorView, { ...meta, next_cursor })
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createEvaluator',
    summary: 'Create an evaluator',
    description:
      'Reports all errors in the evaluator together, each with a pointer. A judge is called ' +
      'once, and attacked, before it is saved. An evaluator scores nothing until a rule names ' +
      `it. An organization can have at most ${evaluatorsMax} evaluators, not counting the ` +
      `built-in ones. ${allowance}`,
    body: schemas.newEvaluator,
    bytesMax: schemas.evaluatorBytesMax,
    // Validated in the compute thread instead, because tenants can make validation slow.
    checkBody: () => [],
    answers: {
      201: { description: 'The first version of the evaluator.', schema: schemas.evaluator }
    },
    problems: ['name_taken', 'limit_reached', ...savingProblems],
    handle: async (call, services) => {
      const { store, clock, compute } = services
      const { organization_id: organizationId } = call.principal
      const draft = await checkedDraftOf(compute, organizationId, { given: call.body })
      await refuseNames(store.of(organizationId), draft.name, null)
      const report = await preflight(services, draft, call)
      const id = prefixedId('evl', clock.now())
      const created = await withOrganizationLock(store, call, (edit) =>
        saveEvaluator(edit, { id, draft, report })
      )
      return call.reply(201, evaluatorView(created))
    }
  }),
  route({
    method: 'post',
    path: `${path}/test`,
    who: member,
    id: 'testEvaluatorDraft',
    summary: 'Test an evaluator before saving it',
    description: howTested,
    body: schemas.draftTest,
    bytesMax: schemas.testBytesMax,
    checkBody: schemas.checkDraftTest,
    answers: tested,
    problems: ['compute_limited', 'secrets_key_missing'],
    handle: async (call, services) => {
      const { organization_id: organizationId } = call.principal
      const drafted = { given: call.body.evaluator, place: '/evaluator' }
      const draft = await checkedDraftOf(services.compute, organizationId, drafted)
      return call.reply(200, await testEvaluator(services, unsaved(draft), call))
    }
  }),
  route({
    method: 'get',
    path: `${path}/:evaluator_id`,
    who: session,
    id: 'showEvaluator',
    summary: 'Get an evaluator',
    description: 'Returns the latest version.',
    params,
    answers: { 200: { description: 'The evaluator.', schema: schemas.evaluator } },
    problems: ['evaluator_not_found'],
    handle: async ({ principal, params: { evaluator_id: id }, reply }, { store }) => {
      const found = await queries.readEvaluator(store.of(principal.organization_id), id)
      return reply(200, evaluatorView(found))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/:evaluator_id`,
    who: admin,
    id: 'changeEvaluator',
    summary: 'Update an evaluator',
    description:
      'Creates the next version, unless nothing changes. Fields that you leave out keep their ' +
      'values; a field that you send replaces the old value as a whole. Rules that name ' +
      '`latest` use the new version for decisions that are planned from then on.',
    params,
    body: schemas.evaluatorChange,
    bytesMax: schemas.evaluatorBytesMax,
    answers: { 200: { description: 'The updated evaluator.', schema: schemas.evaluator } },
    problems: ['evaluator_not_found', 'name_taken', 'built_in', 'limit_reached', ...savingProblems],
    handle: async (call, services) => {
      const { store, compute } = services
      const id = call.params.evaluator_id
      refuseBuiltIn(isBuiltIn(id), builtInDetail)
      const { organization_id: organizationId } = call.principal
      const { version: before } = await queries.readEvaluator(store.of(organizationId), id)
      const draftOf = (version: EvaluatorVersion) =>
        checkedDraftOf(compute, organizationId, { given: mergedDraftOf(version, call.body) })
      const draft = await draftOf(before)
      const isAlike = judgedHashOf(draft) === judgedHashOf(before)
      const report = isAlike ? null : await preflight(services, draft, call)
      const changed = await withOrganizationLock(store, call, (edit) =>
        saveChange(edit, { id, change: call.body, before, draft, draftOf, report })
      )
      return call.reply(200, evaluatorView(changed))
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:evaluator_id`,
    who: admin,
    id: 'deleteEvaluator',
    summary: 'Delete an evaluator',
    description: 'Fails with `in_use` while a rule names the evaluator. Its scores are kept.',
    params,
    answers: {
      200: {
        description: 'The evaluator is deleted.',
        schema: deletedOf('evaluator_id', schemas.evaluator)
      }
    },
    problems: ['evaluator_not_found', 'in_use', 'built_in'],
    handle: async (call, { store }) => {
      const id = call.params.evaluator_id
      refuseBuiltIn(isBuiltIn(id), builtInDetail)
      await withOrganizationLock(store, call, async (edit) => {
        const { version } = await queries.readEvaluator(edit, id)
        const rules = (await readRules(edit)).map(({ rule }) => rule)
        const users = rules.filter(({ evaluators }) =>
          evaluators.some(({ evaluator_id }) => evaluator_id === id)
        )
        refuseUsed(users.map(({ rule_id, name }) => ({ rule_id, name })))
        await queries.deleteEvaluator(edit, id)
        await edit.audit('evaluator.deleted', id, { name: version.name })
        // Earlier versions of rules, or replays, can still have pending runs of this evaluator.
        await cancelRuns(edit, ['evaluator_id', id], 'deleted')
      })
      return call.reply(200, { evaluator_id: id, deleted: true })
    }
  }),
  route({
    method: 'post',
    path: `${path}/:evaluator_id/test`,
    who: member,
    id: 'testEvaluator',
    summary: 'Test an evaluator',
    description: howTested,
    params,
    body: schemas.savedTest,
    bytesMax: schemas.testBytesMax,
    checkBody: schemas.checkSavedTest,
    answers: tested,
    problems: ['evaluator_not_found', 'compute_limited', 'secrets_key_missing'],
    handle: async (call, services) => {
      const ours = services.store.of(call.principal.organization_id)
      const id = call.params.evaluator_id
      const { version: number } = call.body
      const { version } =
        number === undefined
          ? await queries.readEvaluator(ours, id)
          : await queries.readVersion(ours, id, number)
      return call.reply(200, await testEvaluator(services, version, call))
    }
  }),
  route({
    method: 'get',
    path: `${path}/:evaluator_id/versions`,
    who: session,
    id: 'listEvaluatorVersions',
    summary: 'List evaluator versions',
    description: 'Lists the versions of an evaluator, newest first.',
    params,
    query: pageQuery('entries'),
    answers: page,
    problems: ['evaluator_not_found', 'invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, params: { evaluator_id: id }, query }, { store }) => {
      const ours = store.of(principal.organization_id)
      await queries.readEvaluator(ours, id)
      const { limit, cursor } = query
      const range = { below: versionBefore(cursor), rowsMax: limit + 1 }
      const sizes = await queries.readVersionSizes(ours, id, range)
      const shown = upToBytes(sizes.slice(0, limit), pageBytesMax).map(({ version }) => version)
      const last = sizes.length > shown.length ? shown.at(-1) : undefined
      const next_cursor = last === undefined ? null : cursorOf(String(last))
      const versions = await queries.readVersions(ours, id, shown)
      return pageReply(versions, evaluatorView, { next_cursor, limit })
    }
  }),
  route({
    method: 'get',
    path: `${path}/:evaluator_id/versions/:version`,
    who: session,
    id: 'showEvaluatorVersion',
    summary: 'Get an evaluator version',
    description: 'Returns a version as it was created: versions never change.',
    params: schemas.versionParams,
    answers: { 200: { description: 'The version.', schema: schemas.evaluator } },
    problems: ['evaluator_not_found'],
    handle: async ({ principal, params: { evaluator_id: id, version }, reply }, { store }) => {
      const ours = store.of(principal.organization_id)
      return reply(200, evaluatorView(await queries.readVersion(ours, id, Number(version))))
    }
  })
]

/** Converts an evaluator to its API form. */
function evaluatorView({ version, ...stored }: StoredEvaluator) {
  return { ...version, built_in: isBuiltIn(version.evaluator_id), ...stored }
}
