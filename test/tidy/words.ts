/** Checks for banned code patterns, folder names and machine-specific paths. */
import { homedir } from 'node:os'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eachLine, isCode } from './files.ts'
import type { Check, RepositoryFile } from './files.ts'

type Ban = { readonly pattern: RegExp; readonly instead: string; readonly inTests?: true }

/** Patterns that are banned in code and comments. */
const bans: readonly Ban[] = [
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, instead: 'do it now, or open an issue' },
  { pattern: /@ts-(ignore|nocheck)\b/, instead: 'the right type' },
  { pattern: /@ts-expect-error\s*(\*\/)?$/, instead: '@ts-expect-error with its reason' },
  { pattern: /eslint-disable(?!.* -- \S)/, instead: 'eslint-disable… -- with its reason' },
  {
    pattern: /\b(test|it)\((['"`])should\b/,
    instead: 'a sentence that says what happens',
    inTests: true
  }
]

/** Matches the type `any`, which is banned in code but not in comments. */
const anyType = /(:|<|\bas|\||&)\s*any\b(?=\s*(\)|;|,|>|\[|=|\{|$))/

const folders = /(^|\/)(utils?|helpers?|common|lib|misc|shared)(\/|[.][^/]+$)/

function isComment(line: string): boolean {
  return /^\s*(\/?\*|\/\/)/.test(line)
}

function isJudged(file: RepositoryFile): boolean {
  return isCode(file) && !/^test\/tidy[./]/.test(file.path)
}

export const checkWords: Check = (files) =>
  eachLine(files.filter(isJudged), (line, file) => {
    const ban = bans.find(({ pattern, inTests }) => {
      return pattern.test(line) && (inTests === undefined || file.path.startsWith('test/'))
    })
    if (ban !== undefined) return `${ban.pattern.exec(line)?.[0] ?? ''}, use ${ban.instead} instead`
    return !isComment(line) && anyType.test(line) ? 'any, use unknown instead' : null
  })

export const checkPlaces: Check = (files) =>
  files
    // Official definitions import each other by their paths.
    .filter(({ path }) => folders.test(path) && !path.endsWith('.proto'))
    .map(({ path }) => ({
      path,
      line: 0,
      message: 'a folder without a topic, name it for its content'
    }))

const publicHosts = ['registry.npmjs.org', 'repo.maven.apache.org', 'repo1.maven.org', 'pypi.org']

/**
 * Returns the hosts of package registries that are configured on this machine, except public ones.
 */
export function privateHosts(environment: NodeJS.ProcessEnv, npmrc: string): string[] {
  const named = Object.entries(environment)
    .filter(([name]) =>
      /^(npm_config_(.*[_:])?registry|pip_(extra_)?index_url|goproxy)$/i.test(name)
    )
    .map(([, value]) => value ?? '')
  const text = [...named, npmrc].join('\n')
  const hosts = [...text.matchAll(/https?:\/\/(?:[^@/\s]*@)?([^/:\s,|]+)/g)].map(([, host]) => host)
  return [...new Set(hosts)].filter(
    (host): host is string => host !== undefined && !publicHosts.includes(host)
  )
}

/**
 * Returns paths and hosts that identify this machine. They are computed, because the source must
 * not contain them.
 */
export function machineWords(): string[] {
  const npmrc = join(homedir(), '.npmrc')
  const hosts = privateHosts(process.env, existsSync(npmrc) ? readFileSync(npmrc, 'utf8') : '')
  return [process.cwd(), `${homedir()}/`, ...hosts].filter((word) => word.length > 5)
}

const homes = /(?<![\w.])\/(home|Users)\/[a-z][\w.-]*\//

export function createCheckMachine(words: readonly string[]): Check {
  return (files) =>
    eachLine(files, (line) => {
      const word = words.find((each) => line.includes(each)) ?? homes.exec(line)?.[0]
      return word === undefined ? null : `${word}, use a path or a host that holds everywhere`
    })
}
