import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

interface Locked {
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

const NODE = 20

/** Whether a range of versions of Node has any of the oldest that we run on. */
const admits = (range: string) =>
  range.split('||').some((part) => {
    const [, sign, major] = /^\s*(>=|\^)?\s*(\d+|\*)/.exec(part) ?? []
    return major === '*' || (sign === '>=' ? Number(major) <= NODE : Number(major) === NODE)
  })

it('Whoever installs the package gets what is installed here, and all of it runs on the oldest Node that we name', () => {
  const { overrides, engines } = read('package.json') as { overrides: object; engines: { node: string } }
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''))

  expect(engines.node).toMatch(new RegExp(`^>=${NODE}\\b`))
  // An override holds in this folder alone.
  expect(Object.keys(overrides).filter((name) => names.includes(name))).toEqual([])
  expect(installed.filter(([, { engines }]) => !admits(engines?.node ?? '*')).map(([path]) => path)).toEqual([])
})
