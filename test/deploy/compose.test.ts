/** Tests docker-compose.yml and the files that it mounts, without running Docker. */
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { IMAGES } from '../../stack/docker/docker-runtime.ts'
import { read } from '../docs/pages.ts'
import { settingNames } from '../../docs/generate/describe-settings.ts'
import { alertRules, recordRules, ruleFiles } from '../support/alert-rules.ts'
import { bindMounts, composeFile, composeServices } from '../support/deploy/compose-file.ts'
import { composeText, isJob, isOurs } from '../support/deploy/compose-file.ts'
import { objectsOf } from '../support/deploy/helm.ts'
import { containersOf } from '../support/deploy/pods.ts'
import { findPromtool } from '../support/promtool.ts'
import { run } from '../support/run-to-end.ts'

const { services } = composeFile
const processes = composeServices.filter((service) => isOurs(service) && !isJob(service))
const jobs = composeServices.filter(isJob)
const promtool = await findPromtool()
if (promtool === null) {
  process.stderr.write('No promtool here and no Go to build it: prometheus.yml was not checked.\n')
}

function namesOf(found: readonly { readonly name: string }[]): string[] {
  return found.map(({ name }) => name).toSorted()
}

describe('services', () => {
  test('have images that are pinned by version tag', () => {
    const images = composeServices.filter((each) => !isOurs(each)).map(({ image }) => image)
    expect(images.filter((image) => !/^[a-z/-]+:v?\d+[\w.-]*$/.test(image))).toEqual([])
  })

  test('have the same images as npm start and the tests', () => {
    const found = Object.keys(IMAGES).map((name) => [name, services[name]?.image])
    expect(Object.fromEntries(found)).toEqual(IMAGES)
  })

  test('have a health check, except jobs', () => {
    const unasked = composeServices.filter(({ healthcheck }) => healthcheck.test === undefined)
    expect(namesOf(unasked)).toEqual(namesOf(jobs))
    expect(jobs.filter(({ healthcheck }) => healthcheck.disable !== true)).toEqual([])
  })

  test('wait for healthy services and for finished jobs', () => {
    const waits = composeServices.flatMap(({ depends_on = {} }) => Object.entries(depends_on))
    const conditions = waits.map(([name, { condition }]) => {
      const awaited = services[name]
      return [name, condition, awaited !== undefined && isJob(awaited)]
    })
    for (const [name, condition, isOfJob] of conditions) {
      const expected = isOfJob ? 'service_completed_successfully' : 'service_healthy'
      expect([name, condition]).toEqual([name, expected])
    }
    // `up --wait` fails when a job exits, unless another service depends on that job.
    const awaited = new Set(waits.map(([name]) => name))
    const unawaited = jobs.filter(({ name, profiles }) => !awaited.has(name) && !profiles)
    expect(unawaited).toEqual([])
  })

  test('require passwords for their URLs', () => {
    const { REDIS_URL, DATABASE_URL } = services['gateway']?.environment ?? {}
    const passwordOf = (url: unknown): string => new URL(String(url)).password
    const { redis, postgres } = services
    expect(redis?.command?.join(' ')).toContain(`--requirepass ${passwordOf(REDIS_URL)} `)
    expect(redis?.environment?.['REDISCLI_AUTH']).toBe(passwordOf(REDIS_URL))
    expect(postgres?.environment?.['POSTGRES_PASSWORD']).toBe(passwordOf(DATABASE_URL))
  })

  test('listen only on the local machine, at the documented ports', () => {
    const ports = composeServices.flatMap((service) => service.ports ?? [])
    expect(ports.filter((port) => !/^127[.]0[.]0[.]1:\d+:\d+$/.test(port))).toEqual([])
    const page = read('docs/guides/operations/compose.md')
    const variables = [...composeText.matchAll(/127[.]0[.]0[.]1:\$\{(\w+):-(\d+)\}:/g)]
    expect(variables).toHaveLength(ports.length)
    for (const [, variable, port] of variables) {
      expect(page).toContain(`\`${variable}\``)
      expect(page).toMatch(new RegExp(`\`(127[.]0[.]0[.]1)?:${port}\``))
    }
  })

  test('start by default, except for two profiles', () => {
    const profiles = composeServices.map(({ name, profiles }) => [name, profiles])
    expect(Object.fromEntries(profiles.filter(([, names]) => names !== undefined))).toEqual({
      prometheus: ['observability'],
      grafana: ['observability'],
      load: ['load']
    })
  })

  test('restrict the privileges of Sluice and Prometheus', () => {
    for (const service of composeServices.filter(
      (each) => isOurs(each) || each.name === 'prometheus'
    )) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true']
      })
    }
  })

  test('use only existing settings', () => {
    const known = new Set(settingNames.flatMap((name) => [name, `${name}_FILE`]))
    const ofLoad = ['LOAD_URL', 'LOAD_KEY_FILE', 'LOAD_RATE', 'LOAD_SECONDS']
    expect(Object.keys(services['load']?.environment ?? {})).toEqual(ofLoad)
    const given = composeServices
      .filter((service) => isOurs(service) && service.name !== 'load')
      .flatMap(({ environment = {} }) => Object.keys(environment))
    expect(given.filter((name) => !known.has(name))).toEqual([])
  })

  test('run the same commands as the chart', () => {
    const rendered = containersOf(objectsOf(read('test/deploy/rendered/minimal.yaml')))
    const words = (args: readonly string[]): string => args.join(' ').replace(/ --.*/, '')
    const ofChart = rendered.map(({ args }) => words(args)).filter((each) => each !== 'bootstrap')
    const commands = composeServices
      .filter((service) => isOurs(service) && service.entrypoint === undefined)
      .map(({ command = [] }) => words(command))
    expect(commands.toSorted()).toEqual(ofChart.toSorted())
  })

  test('mount only existing files and declared volumes', () => {
    for (const { from } of composeServices.flatMap(bindMounts)) {
      expect([from, existsSync(from)]).toEqual([from, true])
    }
    const named = composeServices
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => !volume.startsWith('.'))
      .map((volume) => volume.split(':')[0])
    expect(Object.keys(composeFile.volumes).toSorted()).toEqual([...new Set(named)].toSorted())
  })
})

describe('Prometheus', () => {
  const config = parse(read('deploy/prometheus/prometheus.yml')) as {
    readonly rule_files: readonly string[]
    readonly scrape_configs: readonly {
      readonly job_name: string
      readonly dns_sd_configs?: readonly { readonly names: readonly string[]; port: number }[]
    }[]
  }
  const jobNames = config.scrape_configs.map(({ job_name }) => job_name)

  const testIfPromtool = promtool === null ? test.skip : test
  testIfPromtool('accepts its file', async () => {
    const args = ['check', 'config', 'deploy/prometheus/prometheus.yml']
    const { code, output } = await run(promtool ?? '', args)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') })
  })

  test('evaluates every rule', () => {
    expect(config.rule_files.map((name) => `deploy/prometheus/${name}`)).toEqual(ruleFiles)
  })

  test('scrapes every process by its name and port', () => {
    const scraped = config.scrape_configs.flatMap(({ job_name, dns_sd_configs = [] }) =>
      dns_sd_configs.map(({ names, port }) => ({ job_name, names, port }))
    )
    const expected = processes.map(({ name }) => ({ job_name: name, names: [name], port: 9464 }))
    expect(scraped).toEqual(expected)
  })

  test('has the jobs that rules and dashboards use', () => {
    const dashboards = readdirSync('deploy/grafana/dashboards').map((name) => {
      return read(`deploy/grafana/dashboards/${name}`)
    })
    const texts = [...[...alertRules, ...recordRules].map(({ expr }) => expr), ...dashboards]
    const asked = [...texts.join('\n').matchAll(/\bjob\s*=~?\s*\\?"([^"\\]*)/g)]
    const names = asked.flatMap(([, names = '']) => names.split('|'))
    // Alerts and dashboards may also name the audit process, which Compose does not run.
    const known = [...jobNames, 'audit']
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  })

  test('reaches the management port of every process', () => {
    const hosts = processes.map(({ environment = {} }) => environment['MANAGEMENT_HOST'])
    expect(hosts).toEqual(processes.map(() => '0.0.0.0'))
  })

  test('has its configuration mounted at the path that it reads', () => {
    const { command = [] } = services['prometheus'] ?? {}
    expect(command).toContain('--config.file=/etc/prometheus/prometheus.yml')
    const mounts = composeServices.filter(({ name }) => name === 'prometheus').flatMap(bindMounts)
    expect(mounts).toEqual([{ from: './deploy/prometheus', to: '/etc/prometheus' }])
  })
})

describe('Grafana', () => {
  const { environment = {} } = services['grafana'] ?? {}
  const mounts = composeServices.filter(({ name }) => name === 'grafana').flatMap(bindMounts)

  /** Translates a path in the container to the path on the host. */
  function hostPath(path: string): string {
    const mount = mounts.find(({ to }) => path.startsWith(to))
    return mount === undefined ? `nowhere: ${path}` : path.replace(mount.to, mount.from)
  }

  test('finds its dashboards in its mounts', () => {
    const provider = parse(read('deploy/grafana/provisioning/dashboards/sluice.yml')) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[]
    }
    const [first] = provider.providers.map(({ options }) => hostPath(options.path))
    expect(readdirSync(first ?? '')).toContain('sluice-overview.json')
    const home = String(environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'])
    expect(existsSync(hostPath(home))).toBe(true)
    expect(existsSync(hostPath('/etc/grafana/provisioning/datasources'))).toBe(true)
  })

  test('uses the Prometheus of the same project', () => {
    const { datasources } = parse(
      read('deploy/grafana/provisioning/datasources/prometheus.yml')
    ) as { readonly datasources: readonly { readonly url: string }[] }
    const { hostname, port } = new URL(datasources[0]?.url ?? '')
    expect(services[hostname]?.ports?.[0]).toMatch(new RegExp(`:${port}$`))
  })
})
