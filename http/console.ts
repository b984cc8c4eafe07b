/** Serves the console, a single-page application, under /console/. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Problem } from '../core/problem.ts'
import type { Call, Reply } from './call.ts'
import type { Handle } from './route.ts'

export interface ConsoleHandlers {
  /** Serves index.html for every path of the application, because its script does the routing. */
  readonly page: Handle
  readonly asset: Handle
  /** Redirects /console to /console/. */
  readonly redirect: Handle
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml'
}

/** The console loads only its own files, sets no inline style and never parses text as HTML. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'
}

/** The names of assets contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable'

/** Suffixes of the compressed files, by content coding, best first. */
const codings = { br: '.br', gzip: '.gz' } as const
type Coding = keyof typeof codings

interface ConsoleFile {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly coded: Readonly<Partial<Record<Coding, Buffer>>>
}

/**
 * Reads all files into memory, about 2 MB with their source maps.
 * @param folder output of the build; it does not exist in a clone that has never been built
 */
export function createConsole(folder: string): ConsoleHandlers {
  const page = existsSync(join(folder, 'index.html')) ? readPage(folder) : null
  const assets = page === null ? new Map<string, ConsoleFile>() : readAssets(join(folder, 'assets'))
  return {
    page: async (call) => {
      if (page === null) throw missing('The console is not built. Run `npm start` to build it.')
      return replyWith(page, call)
    },
    asset: async (call) => {
      const file = assets.get(call.params['file'] ?? '')
      if (file === undefined) throw missing('The console has no such file.')
      return replyWith(file, call)
    },
    redirect: () => Promise.resolve({ status: 308, headers: { location: '/console/' }, body: '' })
  }
}

function missing(detail: string): Problem {
  return new Problem('route_not_found', { detail })
}

function readPage(folder: string): ConsoleFile {
  return readFile(join(folder, 'index.html'), 'no-store')
}

function readAssets(folder: string): ReadonlyMap<string, ConsoleFile> {
  const names = readdirSync(folder).filter((name) => extname(name) in contentTypes)
  return new Map(names.map((name) => [name, readFile(join(folder, name), forever)]))
}

function readFile(path: string, caching: string): ConsoleFile {
  const found = Object.entries(codings).filter(([, suffix]) => existsSync(path + suffix))
  const coded = found.map(([coding, suffix]) => [coding, readFileSync(path + suffix)] as const)
  const headers = {
    ...securityHeaders,
    'content-type': contentTypes[extname(path)] ?? 'application/octet-stream',
    'cache-control': caching,
    vary: 'accept-encoding'
  }
  return { headers, bytes: readFileSync(path), coded: Object.fromEntries(coded) }
}

function replyWith({ headers, bytes, coded }: ConsoleFile, call: Call): Reply {
  const accepted = acceptedCodings(call.headers['accept-encoding'] ?? '')
  const names = Object.keys(codings) as Coding[]
  const coding = names.find((name) => accepted.has(name) && coded[name] !== undefined)
  if (coding === undefined) return { status: 200, headers, body: '', bytes, isShared: true }
  const codedHeaders = { ...headers, 'content-encoding': coding }
  const codedBytes = coded[coding] ?? bytes
  return { status: 200, headers: codedHeaders, body: '', bytes: codedBytes, isShared: true }
}

/** Parses `gzip, br;q=0`. A weight of 0 means that the coding is not accepted. */
function acceptedCodings(header: string): ReadonlySet<string> {
  const entries = header.split(',').map((entry) => entry.trim().toLowerCase())
  const wanted = entries.filter((entry) => !/;\s*q=0(\.0*)?$/.test(entry))
  return new Set(wanted.map((entry) => entry.split(';')[0]?.trim() ?? ''))
}
