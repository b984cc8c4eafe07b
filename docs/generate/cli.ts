/** Generates docs/reference/cli.md from the help texts of all `sluice` commands. */
import { createProgram } from '../../cli/program/create-program.ts'
import { code, formatTable } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

type Command = ReturnType<typeof createProgram>
type Option = Command['options'][number]

const program = createProgram({ environment: {}, write: () => {}, logProgress: () => {} })

interface Documented {
  /** Command line without options, for example `sluice keys create`. */
  readonly name: string
  readonly command: Command
}

/** Lists executable commands. Leaves out groups such as `keys`, which have only subcommands. */
function listCommands(command: Command = program, parents = ''): Documented[] {
  const name = `${parents}${command.name()}`
  if (command.commands.length === 0) return [{ name, command }]
  return command.commands.flatMap((each) => listCommands(each, `${name} `))
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

/** Escapes vertical bars, which would end a table cell. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function describeDefault({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (defaultValueDescription !== undefined) {
    const isPhrase = defaultValueDescription.includes(' ')
    return isPhrase ? defaultValueDescription : code(defaultValueDescription)
  }
  if (defaultValue === undefined || negate) return ''
  return code(Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue))
}

function describeOption(option: Option): string[] {
  const { argChoices, description, flags, mandatory } = option
  const choices = argChoices === undefined ? '' : `: ${argChoices.map(code).join(' or ')}`
  const meaning = escapeCell(`${description}${choices}`)
  const byDefault = mandatory ? '(required)' : describeDefault(option)
  return [code(flags), meaning, byDefault]
}

/** Returns the text that `--help` prints after the options. */
function helpAfter(command: Command): string {
  const before = command.helpInformation()
  const lines: string[] = []
  const output = { writeOut: (text: string) => void lines.push(text) }
  command.configureOutput(output).outputHelp()
  return lines.join('').replace(before, '').trim()
}

function formatCommand({ name, command }: Documented): string {
  const positional = command.registeredArguments.map((argument) => {
    return [code(`<${argument.name()}>`), escapeCell(argument.description), '(required)']
  })
  const rows = [...positional, ...command.options.map(describeOption)]
  const options =
    rows.length === 0 ? '' : `\n${formatTable(['option', 'meaning', 'default'], rows)}`
  const after = helpAfter(command)
  const notes = after === '' ? '' : `\n${after}\n`
  return `## ${name}\n\n${asSentence(command.description())}\n${options}${notes}`
}

export const cli: GeneratedPage = {
  path: 'docs/reference/cli.md',
  parts: () => ({ commands: listCommands().map(formatCommand).join('\n') })
}
