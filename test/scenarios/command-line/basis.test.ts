import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands/index.ts'
import { helpOf, overview, usageOf } from '../../../src/cli/help.ts'
import { flagOf } from '../../../src/config.ts'
import { settings } from '../../../src/settings.ts'
import { run } from '../../support/command.ts'
import { commandLine, runProgram } from '../../support/process.ts'

/** What bash offers behind these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await run(['completion', 'bash'], {})
  const typed = ['quittance', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${stdout}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _quittance; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
}

describe('What every command has', () => {
  it('stands in the overview, in its own help and in the completion of every shell', async () => {
    const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
    const { stdout: all } = await run(['--help'], {})
    const scripts = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => run(['completion', shell], {})))
    for (const { name, summary, options = {}, examples } of commands) {
      expect(inOneLine(all)).toContain(summary)
      const { code, stdout } = await run([...name.split(' '), '--help'], {})
      expect(code).toBe(0)
      expect(examples.length, `${name} has examples`).toBeGreaterThan(0)
      for (const [words] of examples) {
        expect(stdout).toContain(`quittance ${words}`)
        expect(words.startsWith(name), `${words} is an example of ${name}`).toBe(true)
      }
      for (const flag of Object.keys(options)) expect(stdout).toContain(`--${flag}`)
      for (const { stdout: script } of scripts) for (const word of name.split(' ')) expect(script).toContain(word)
    }
  })

  it.each([
    [undefined, 100],
    [240, 100],
    [80, 80],
    [20, 60],
  ])('is explained to a terminal of %s columns in lines of at most %i', (columns, most) => {
    // What is typed stands in one piece, and no word is broken.
    const typed = commands.flatMap((command) => [
      usageOf(command),
      `usage: quittance ${usageOf(command)}`,
      ...command.examples.map(([words]) => `quittance ${words}`),
    ])
    const tooLong = (line: string) => line.length > most && line.trim().includes(' ') && !typed.includes(line.trim())
    for (const text of [overview(commands, columns), ...commands.map((command) => helpOf(command, columns))])
      expect(text.split('\n').filter(tooLong)).toEqual([])
  })

  it('names the settings it goes by, with what they can be and are by default', async () => {
    const askedOf = async (...words: string[]) => (await run([...words, '--help'], {})).stdout
    expect(await askedOf('start')).toMatch(/--environment +sandbox or live; by default sandbox\n/)
    expect(await askedOf('start')).toMatch(/--port +0 to 65535; by default 8080\n/)
    for (const words of [['migrate'], ['backup'], ['restore'], ['move'], ['accounts', 'create']]) {
      const help = await askedOf(...words)
      for (const flag of ['environment', 'database-url', 'data-dir', 'secret']) expect(help).toContain(`--${flag} `)
      expect(help).not.toContain('--port')
    }
    expect(await askedOf('docs')).not.toContain('Settings')
  })

  it.skipIf(process.platform === 'win32')('is printed whole, however late it is read', async () => {
    const [program, words] = commandLine(['completion', 'fish'])
    // A reader that takes its time: longer than a command is given to end after its last word.
    const late = ['-c', '"$0" "$@" | { sleep 4; cat; }', program, ...words]
    const { stdout } = await runProgram(['sh', late], {})

    expect(stdout.length).toBe((await run(['completion', 'fish'], {})).stdout.length)
  })

  it('ends without a word when nobody reads it to its end', async () => {
    const [program, words] = commandLine(['completion', 'fish'])
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let said = ''
    for await (const text of child.stderr) said += text

    expect([said, child.exitCode ?? (await once(child, 'exit'))[0]]).toEqual(['', 0])
  })

  it('has no option that would also be taken for a setting', () => {
    const flags = Object.values(settings).map(({ variable }) => flagOf(variable))
    for (const { name, options = {} } of commands)
      expect(
        Object.keys(options).filter((option) => flags.includes(option)),
        name,
      ).toEqual([])
  })

  it('is completed by bash: commands, their second word, flags and what a flag can be', async () => {
    expect(await offered('comp')).toEqual(['completion'])
    expect(await offered('accounts', 'c')).toEqual(['create'])
    expect(await offered('accounts', 'create', '--ema')).toEqual(['--email'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--json', '--help'])
  })
})
