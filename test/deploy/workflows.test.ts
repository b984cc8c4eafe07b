/** Tests the CI workflows: their commands, permissions and pinned actions. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { findGoProgram } from '../support/go-program.ts'
import { run } from '../support/run-to-end.ts'

const folder = '.github/workflows'
const names = readdirSync(folder)

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly steps: readonly Step[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

function textOf(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

function stepsOf(name: string): Step[] {
  return jobsOf(name).flatMap(({ steps }) => steps)
}

function jobsOf(name: string): Job[] {
  return Object.values((parse(textOf(name)) as Workflow).jobs)
}

const actionlint = await findGoProgram({
  name: 'actionlint',
  version: 'v1.7.12',
  source: 'github.com/rhysd/actionlint/cmd/actionlint'
})

const testIfActionlint = actionlint === null ? test.skip : test
testIfActionlint.each(names)('%s is valid for actionlint', async (name) => {
  expect(await run(actionlint ?? '', ['-no-color', join(folder, name)])).toEqual({
    code: 0,
    output: ''
  })
})

test('runs .ci/run for every change, on both kinds of stack', () => {
  const { jobs } = parse(textOf('ci.yml')) as {
    jobs: { test: { strategy: { matrix: { stack: string[] } } } & Job }
  }
  expect(jobs.test.strategy.matrix.stack).toEqual(['native', 'docker'])
  expect(jobs.test.steps.map(({ run }) => run)).toContain('.ci/run')
})

test('runs every test in the nightly workflow', () => {
  expect(stepsOf('nightly.yml').map(({ run }) => run)).toContain('npm run test:all')
})

test('makes every publishing job wait for all tests', () => {
  const { jobs } = parse(textOf('release.yml')) as {
    jobs: Record<string, { needs?: string } & Job>
  }
  const { test: first, ...others } = jobs
  expect(first).not.toHaveProperty('needs')
  expect(first?.steps.map(({ run }) => run)).toContain('npm run test:all')
  for (const job of Object.values(others)) expect(job.needs).toBeTruthy()
})

test.each(names)('pins actions in %s by hash, with the version as a comment', (name) => {
  const used = textOf(name).match(/uses: .*/g) ?? []
  expect(used).not.toEqual([])
  for (const line of used) expect(line).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test.each(names)('grants %s only read permission, unless a job needs more', (name) => {
  expect((parse(textOf(name)) as Workflow).permissions).toEqual({ contents: 'read' })
  for (const { uses, with: given } of stepsOf(name)) {
    if (uses?.startsWith('actions/checkout@'))
      expect(given).toEqual({ 'persist-credentials': false })
  }
})

test.each(names)('limits the time of each job in %s', (name) => {
  for (const job of jobsOf(name)) expect(job['timeout-minutes']).toBeLessThanOrEqual(180)
})

test.each(names)('passes no untrusted text to a shell in %s', (name) => {
  for (const { run } of stepsOf(name)) expect(run ?? '').not.toMatch(/\$\{\{ *github\./)
})

test("builds the image with the base image's digest and all build arguments", () => {
  const build = stepsOf('release.yml').find(({ uses }) => uses?.startsWith('docker/build-push'))
  const given = String(build?.with?.['build-args'])
  const names = given.split('\n').flatMap((line) => line.match(/^\w+(?==)/) ?? [])
  const taken = readFileSync('deploy/Dockerfile', 'utf8').match(/(?<=^ARG )\w+/gm) ?? []
  expect(new Set(names)).toEqual(new Set(taken))
  expect(given).toContain('NODE_IMAGE=${{ steps.base.outputs.image }}')
})

test('separates the jobs that build packages from those that publish them', () => {
  const publishing = jobsOf('release.yml').filter(
    ({ permissions, steps }) =>
      permissions?.['id-token'] === 'write' &&
      !steps.some(({ uses }) => uses?.startsWith('docker/build-push'))
  )
  expect(publishing).toHaveLength(2)
  for (const { steps } of publishing) {
    for (const { run = '', uses = '' } of steps) {
      expect(run).not.toMatch(/npm (ci|i|install|pack|run)|pipx|pip /)
      expect(uses).not.toMatch(/^actions\/checkout/)
    }
  }
})

test('tags the image as the chart expects, and never tags a release candidate as latest', () => {
  const text = textOf('release.yml')
  expect(text).toContain('tags: ${{ steps.base.outputs.name }}:${{ steps.base.outputs.version }}')
  expect(text).toContain('echo "version=${GITHUB_REF_NAME#v}"')
  expect(
    text.match(/case "\$GITHUB_REF_NAME" in \*-\*\) (tag=next|kind=--prerelease) /g)
  ).toHaveLength(2)
})
