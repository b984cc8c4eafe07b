/** Lists the files of the repository, and defines the types of checks and findings. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'

export type RepositoryFile = { readonly path: string; readonly lines: readonly string[] }

/** Line 0 stands for the whole file. */
export type Finding = { readonly path: string; readonly line: number; readonly message: string }

export type Check = (files: readonly RepositoryFile[]) => Finding[]

const bytesMax = 4 * 1024 * 1024
const binary = /[.](png|jpg|gif|ico|woff2?|gz|bin|avro)$/

/** Returns the text files of the repository, including uncommitted files that git does not ignore.
 */
export function listFiles(): RepositoryFile[] {
  const args = ['ls-files', '-co', '--exclude-standard', '-z']
  const paths = execFileSync('git', args, { encoding: 'utf8' }).split('\0')
  return paths
    .filter((path) => path !== '' && !binary.test(path) && existsSync(path))
    .filter((path) => statSync(path).isFile() && statSync(path).size < bytesMax)
    .map((path) => fileOf(path, readFileSync(path, 'utf8')))
}

export function fileOf(path: string, text: string): RepositoryFile {
  return { path, lines: text.replace(/\n$/, '').split('\n') }
}

export function isCode({ path }: RepositoryFile): boolean {
  return /[.](tsx?|js|mjs|cjs|sql)$/.test(path)
}

function isTest({ path }: RepositoryFile): boolean {
  return path.startsWith('test/')
}

/** Checks whether the file is TypeScript in a top-level folder other than test/. */
export function isSource(file: RepositoryFile): boolean {
  return /[.]tsx?$/.test(file.path) && file.path.includes('/') && !isTest(file)
}

/** Calls `judge` for each line, and returns the messages as findings. */
export function eachLine(
  files: readonly RepositoryFile[],
  judge: (line: string, file: RepositoryFile) => string | null
): Finding[] {
  return files.flatMap((file) =>
    file.lines.flatMap((text, index) => {
      const message = judge(text, file)
      return message === null ? [] : [{ path: file.path, line: index + 1, message }]
    })
  )
}

export function aboutFile(path: string, message: string): Finding {
  return { path, line: 0, message }
}

/** Formats findings as "path:line: message", so that editors can open them. */
export function describeFindings(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line, message }) => `${path}:${line}: ${message}`)
}
