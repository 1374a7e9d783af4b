import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Command, CommandError } from '../command.ts'

/** Prints every document that is made from source. A test fails when one of them is stale. */
export const docsCommand = (commands: () => readonly Command[]): Command => ({
  kind: 'free',
  name: 'docs',
  summary: 'Print openapi.json and the tables in docs/ from source',
  examples: [['docs', 'in a clone, after a change of the source']],
  async run({ output }) {
    if (!existsSync(new URL('../../../docs', import.meta.url)))
      throw new CommandError('The documents are printed in a clone of the repository; a package has no docs folder.')
    const { printedFiles } = await import('../../printed.ts')
    for (const { path, text } of printedFiles(commands())) {
      const file = new URL(`../../../${path}`, import.meta.url)
      // A file that is up to date is not written: its new date would cause everything to be compiled again.
      if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
      output.out(`${path}\n`)
    }
  },
})
