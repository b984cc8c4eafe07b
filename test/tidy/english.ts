/** Checks texts for banned words, and commit subjects for their format. */
import { eachLine } from './files.ts'
import type { Check, Finding, RepositoryFile } from './files.ts'

type Ban = { readonly pattern: RegExp; readonly instead: string }

function ban(pattern: RegExp, instead: string): Ban {
  return { pattern: new RegExp(pattern.source, 'iu'), instead }
}

/** Banned words, each with its replacement. */
const bans: readonly Ban[] = [
  ban(/\banew\b/, 'again'),
  ban(/\bwho(m)?ever\b/, 'the caller, the operator or the client'),
  ban(/(?<!['"`])\b(some|no)bod(y|ies)\b/, 'a user, a client, nothing or null'),
  ban(/\bmend(s|ed|ing)?\b/, 'fix'),
  ban(/\bgarbled\b/, 'malformed'),
  ban(/\bflood(s|ed|ing)?\b/, 'the dead-letter limit, or many'),
  ban(/\bupkeep\b/, 'maintenance'),
  ban(/\bcondemn(s|ed|ing)?\b/, 'dead-letter'),
  ban(/\bdoomed\b/, 'to erase'),
  ban(/\bstands? still\b|\bstanding still\b/, 'paused'),
  ban(/\bgo(es)? on( again)?\b/, 'continue or resume'),
  ban(/\b(is|are|was|were|stays?|being|been) away\b/, 'unavailable'),
  ban(/\b(is|are|was|were|be|been|being) told\b/, 'notified, reported, or says'),
  ban(/\b(pati|persist)ently\b/, 'with retries'),
  ban(/\bso many\b/, 'the number, or N'),
  ban(/\bof which\b/, 'two sentences'),
  ban(/\bwhat (became|becomes|comes|came) of\b/, 'the result or the outcome'),
  ban(/\bc(ame|omes?) to nothing\b/, 'failed'),
  ban(/\bas (it was|they were) meant\b/, 'decompressed, or decoded'),
  ban(/\bas (many|much) as (may|there may) be\b/, 'the limit is reached'),
  ban(/\bletters? to\b|\b(by|another) letter\b/, 'email or dead-letter record'),
  ban(/\buntold\b/, 'unexpected or unreported'),
  ban(/\bbeside\b/, 'next to, with, or besides'),
  ban(/(?<!['"`<])\b(he|his|him)\b(?!['"`])/, 'they, or the noun'),
  ban(/\bthere is none (of|with)\b/, 'does not exist'),
  ban(/\b(asks?|asked|tries|tried) again and again\b/, 'poll or retry'),
  ban(/\bhalf a character\b/, 'an unpaired surrogate')
]

/** Files that contain data rather than prose. */
const data =
  /^(LICENSE|package-lock[.]json|bench\/results\/|test\/tidy\/english[.]ts|test\/english[.]test[.]ts)|phrases?[.]ts$|^evaluators\/text\/languages[.]ts$|^test\/unit\/evaluators\/|[.](hex|csv|svg)$/

const texts = /[.](ts|mjs|cjs|js|py|md|sql|ya?ml|json|avsc|tpl|txt|sh|cfg|conf)$|Dockerfile$/

function isProse({ path }: RepositoryFile): boolean {
  return texts.test(path) && !data.test(path)
}

export const checkEnglish: Check = (files) =>
  eachLine(files.filter(isProse), (line) => {
    const found = bans.find(({ pattern }) => pattern.test(line))
    return found === undefined
      ? null
      : `"${found.pattern.exec(line)?.[0] ?? ''}", use ${found.instead} instead`
  })

const subjectCharactersMax = 72
const area = /^[\w./, -]+: \S/

export function checkSubjects(subjects: readonly string[]): Finding[] {
  return subjects.flatMap((subject) => {
    const problems = [
      ...(subject.length > subjectCharactersMax
        ? [`${subject.length} characters, use at most ${subjectCharactersMax}`]
        : []),
      ...(area.test(subject) ? [] : ['does not begin with its area: "docs: what"']),
      ...(subject.endsWith('.') ? ['ends with a full stop'] : [])
    ]
    return problems.map((message) => ({ path: subject, line: 0, message }))
  })
}
