/** Tests that the commands and options shown in the documentation exist. */
import { expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { createProgram } from '../../../cli/program/create-program.ts'
import { blocksIn, pages, read } from '../../docs/pages.ts'

const program = createProgram({ environment: {}, write: () => {}, logProgress: () => {} })
const lines = pages
  .flatMap((page) => blocksIn(read(page), 'sh'))
  .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
const examples = lines
  .flatMap((line) => /npx sluice ([^|>#]+)/.exec(line)?.[1]?.trim() ?? [])
  .filter((example) => /^[a-z]/.test(example))

/** Returns the words before the first option or argument, at most two. */
function commandOf(example: string): string[] {
  const words = example.split(' ')
  const end = words.findIndex((word) => !/^[a-z]+$/.test(word))
  return words.slice(0, Math.min(end < 0 ? words.length : end, 2))
}

const byCommand = Map.groupBy(examples, (example) => commandOf(example).join(' '))

test('the documentation has examples', () => expect(byCommand.size).toBeGreaterThan(10))

function helpOf(command: string): string {
  const found = command
    .split(' ')
    .reduce<Command | undefined>(
      (parent, name) => parent?.commands.find((each) => each.name() === name),
      program
    )
  return found?.helpInformation() ?? ''
}

test.each([...byCommand])('sluice %s', (command, shown) => {
  const help = helpOf(command)
  expect(help).toContain(`Usage: sluice ${command}`)
  const options = shown.flatMap((example) => example.match(/(?<= )--[a-z-]+/g) ?? [])
  for (const option of options) expect(help).toMatch(new RegExp(`^ +${option}\\b`, 'm'))
})
