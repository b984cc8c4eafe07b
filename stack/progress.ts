/** Shows the progress of startup: one line per step, with a spinner in a terminal. */

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
/** Interval between updates of a long step when the output is not a terminal. */
const PLAIN_UPDATE_MS = 5_000
const TITLE_WIDTH = 22

type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }

export type ProgressStep = {
  update(detail: string): void
  done(detail?: string): void
  fail(detail?: string): void
}

export type StartProgress = {
  step(title: string, detail?: string): ProgressStep
  /** Prints a line between steps. */
  print(line: string): void
  /** Stops drawing, and erases the lines of open steps. */
  close(): void
}

type Open = { title: string; detail: string; startedAt: number; printedAt: number }

const COLOURS = { green: 32, red: 31, dim: 2, bold: 1 } as const
export type Paint = (colour: keyof typeof COLOURS, text: string) => string

export function createPaint(colourful: boolean): Paint {
  return (colour, text) => (colourful ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text)
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

/** Formats a line such as "title detail 1.2 s", truncated to the width of the terminal. */
function lineOf({ title, detail, startedAt }: Open, columns: number): string {
  const room = Math.max(20, columns - TITLE_WIDTH - 16)
  const shown = detail.length > room ? `${detail.slice(0, room - 1)}…` : detail
  const cells = [title.padEnd(TITLE_WIDTH), shown.padEnd(Math.min(44, room))]
  return [...cells, secondsSince(startedAt)].join(' ')
}

type Canvas = {
  /** Prints a line above the lines of open steps. */
  print(line: string): void
  /** Redraws the lines of open steps periodically until no step is open. */
  animate(): void
  erase(): void
}

/** Draws on a terminal. The lines of open steps stay at the bottom. */
function createTerminal(output: Output, open: Set<Open>): Canvas {
  let drawn = 0
  let frame = 0
  let timer: NodeJS.Timeout | undefined

  function takeBack(): string {
    const up = drawn === 0 ? '' : `\x1b[${drawn}A\x1b[0J`
    drawn = 0
    return up
  }

  function draw(): string {
    const mark = FRAMES[frame % FRAMES.length] ?? ''
    drawn = open.size
    return [...open].map((step) => `  ${mark} ${lineOf(step, output.columns || 100)}\n`).join('')
  }

  function tick(): void {
    frame += 1
    output.write(takeBack() + draw())
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    print: (line) => void output.write(`${takeBack()}${line}\n${draw()}`),
    animate: () => void (timer ??= setInterval(tick, FRAME_MS)),
    erase: () => {
      clearInterval(timer)
      output.write(takeBack())
    }
  }
}

function createLog(output: Output): Canvas {
  return { print: (line) => void output.write(`${line}\n`), animate: () => {}, erase: () => {} }
}

export function createProgress(output: Output): StartProgress {
  const isTty = output.isTTY === true
  const paint = createPaint(isTty)
  const open = new Set<Open>()
  const canvas = isTty ? createTerminal(output, open) : createLog(output)

  function settle(step: Open, mark: string, detail: string | undefined): void {
    if (!open.delete(step)) return
    if (detail !== undefined) step.detail = detail
    canvas.print(`  ${mark} ${lineOf(step, output.columns || 100)}`)
  }

  function update(step: Open, detail: string): void {
    step.detail = detail
    if (isTty || performance.now() - step.printedAt < PLAIN_UPDATE_MS) return
    step.printedAt = performance.now()
    canvas.print(`  … ${lineOf(step, output.columns || 100)}`)
  }

  return {
    step: (title, detail = '') => {
      const step: Open = {
        title,
        detail,
        startedAt: performance.now(),
        printedAt: performance.now()
      }
      open.add(step)
      canvas.animate()
      return {
        update: (text) => update(step, text),
        done: (text) => settle(step, paint('green', '✓'), text),
        fail: (text) => settle(step, paint('red', '✗'), text)
      }
    },
    print: canvas.print,
    close: () => {
      canvas.erase()
      open.clear()
    }
  }
}
