import { readdirSync, readFileSync } from 'node:fs'
import { readScenario } from './read.ts'
import type { Scenario } from './scenario.ts'

const folder = new URL('../../scenarios/', import.meta.url)
const known = new Map<string, Scenario>()

/** The names of the scenarios that come with the service. */
export const scenarioNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort()

/** The scenario with this name; callers ask only for names from the list. */
export function libraryScenario(name: string): Scenario {
  let scenario = known.get(name)
  if (!scenario) {
    scenario = readScenario(readFileSync(new URL(`${name}.yaml`, folder), 'utf8'), `scenarios/${name}.yaml`)
    known.set(name, scenario)
  }
  return scenario
}
