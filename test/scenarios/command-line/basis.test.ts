import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { flagOf } from '../../../src/config.ts'
import { settings } from '../../../src/settings.ts'
import { run } from '../../support/command.ts'

/** What bash offers behind these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await run(['completion', 'bash'], {})
  const typed = ['quittance', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${stdout}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _quittance; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
}

describe('What every command has', () => {
  it('stands in the overview, in its own help and in the completion of every shell', async () => {
    const { stdout: overview } = await run(['--help'], {})
    const scripts = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => run(['completion', shell], {})))
    for (const { name, summary, options = {}, examples } of commands) {
      expect(overview).toContain(summary)
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

  it('names the settings it goes by, with what they can be and are by default', async () => {
    const helpOf = async (...words: string[]) => (await run([...words, '--help'], {})).stdout
    expect(await helpOf('start')).toMatch(/--environment +sandbox or live; by default sandbox\n/)
    expect(await helpOf('start')).toMatch(/--port +0 to 65535; by default 8080\n/)
    for (const words of [['migrate'], ['backup'], ['restore'], ['move'], ['accounts', 'create']]) {
      const help = await helpOf(...words)
      for (const flag of ['environment', 'database-url', 'data-dir', 'secret']) expect(help).toContain(`--${flag} `)
      expect(help).not.toContain('--port')
    }
    expect(await helpOf('docs')).not.toContain('Settings')
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
