import type { Measured, Side } from './measure.ts'

export type Verdict = 'goal met' | 'met' | 'NOT MET' | 'not judged'

/** Only the ratio decides: absolute figures say more about the machine than about us. */
export function verdictOf({ row: { required, goal }, ratio }: Pick<Measured, 'row' | 'ratio'>): Verdict {
  if (required === undefined) return 'not judged'
  if (ratio < required) return 'NOT MET'
  return goal !== undefined && ratio >= goal ? 'goal met' : 'met'
}

const heading = [
  'row',
  'service/s',
  'limit/s',
  'ratio',
  'quartiles',
  'required',
  'goal',
  'verdict',
  'cpu us',
  'p50 ms',
  'p99 ms',
]

/** The table for people, and below it what each row does and what it is measured against. */
export function printTable(measured: readonly Measured[], tool: string): string {
  const lines = measured.map((line) => [
    line.row.name,
    whole(line.service.perSecond),
    whole(line.limit.perSecond),
    line.ratio.toFixed(2),
    line.quartiles.map((ratio) => ratio.toFixed(2)).join('-'),
    line.row.required?.toFixed(2) ?? '-',
    line.row.goal?.toFixed(2) ?? '-',
    verdictOf(line),
    [line.service, line.limit].map(cpu).join('/'),
    line.service.p50Ms?.toFixed(1) ?? '-',
    line.service.p99Ms?.toFixed(1) ?? '-',
  ])
  const widths = heading.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]!.length)))
  const align = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 || i === 7 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  const generator = Math.round(Math.max(0, ...measured.map(({ generatorMicros }) => generatorMicros)))
  const legend = measured.flatMap(({ row }) => [
    `  ${row.name}: ${row.does}`,
    `  ${' '.repeat(row.name.length)}  against ${row.limit.kind === 'pgbench' ? `${tool}: ` : ''}${row.against}`,
  ])
  return `${[align(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.map(align)].join('\n')}

${legend.join('\n')}

Judged by ratio alone. "cpu us" is processor time of the Node process a request, service/limit.
The load generator took up to ${generator} us of processor time a request.
While these rounds ran, the host of this machine took up to ${(Math.max(0, ...measured.map(({ stolen }) => stolen)) * 100).toFixed(0)} % of its processors for others.
`
}

/** The same for programs. */
export function toJson(measured: readonly Measured[], tool: string): object {
  return measured.map((line) => ({
    name: line.row.name,
    does: line.row.does,
    against: line.row.against,
    limit_tool: line.row.limit.kind === 'pgbench' ? tool : 'fastify-pg',
    service: line.service,
    limit: line.limit,
    ratio: line.ratio,
    quartiles: line.quartiles,
    required: line.row.required ?? null,
    goal: line.row.goal ?? null,
    verdict: verdictOf(line),
    generator_micros: line.generatorMicros,
    stolen: line.stolen,
  }))
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const cpu = ({ cpuMicros }: Side) => (cpuMicros === undefined ? '-' : String(Math.round(cpuMicros)))
