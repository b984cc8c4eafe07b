/** Generates the tables of docs/reference/settings.md from the table of settings. */
import { settings as settingTable } from '../../platform/config/config.ts'
import type { SettingName } from '../../platform/config/config.ts'
import { settingNotes, settingSections } from '../source/setting-notes.ts'
import { allowedBy, defaultOf, readersOf, settingNames } from './describe-settings.ts'
import { code, formatTable } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

const head = ['variable', 'default', 'allowed', 'read by', 'meaning']

function cellsOf(name: SettingName): string[] {
  const { description } = settingTable[name]
  const notes = settingNotes[name]
  const meaning = notes === undefined ? description : `${description} ${notes}`
  return [code(name), defaultOf(name), allowedBy(name), readersOf(name), meaning]
}

/** Formats one table per section. A section ends where the next one begins. */
function formatSections(): string {
  const starts = Object.values(settingSections).map((name) => settingNames.indexOf(name))
  const sections = Object.keys(settingSections).map((title, index) => {
    const names = settingNames.slice(starts[index], starts[index + 1])
    return `## ${title}\n\n${formatTable(head, names.map(cellsOf))}`
  })
  return sections.join('\n')
}

export const settings: GeneratedPage = {
  path: 'docs/reference/settings.md',
  parts: () => ({ settings: formatSections() })
}
