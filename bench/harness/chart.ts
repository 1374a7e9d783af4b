import type { Measured } from './measure.ts'
import { verdictOf } from './table.ts'

const WIDTH = 760
const LEFT = 218
const SCALE = 400
const TOP = 62
const LINE = 30
const BAR = 14

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Reads on a light and on a dark page, and where it is shown as a picture. */
const style = `
  svg { background: #ffffff }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1c2733 }
  .title { font-size: 16px; font-weight: 600 }
  .soft { fill: #5b6875; font-size: 12px }
  .value { font-weight: 600 }
  .end { text-anchor: end }
  .mid { text-anchor: middle }
  .grid { stroke: #dde3e8 }
  .limit, .required { stroke: #1c2733; stroke-width: 2 }
  .limit { stroke-width: 1 }
  .bar { fill: #2f6f8f }
  .missed { fill: #b4452f }
  .track { fill: #eef2f5 }
  .goal { fill: #ffffff; stroke: #1c2733; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    svg { background: #0f151b }
    text { fill: #e3e9ee }
    .soft { fill: #9aa8b4 }
    .grid { stroke: #28323c }
    .limit, .required { stroke: #e3e9ee }
    .bar { fill: #5aa5c8 }
    .missed { fill: #e07a62 }
    .track { fill: #1a232c }
    .goal { fill: #0f151b; stroke: #e3e9ee }
  }`

type Drawn = Pick<Measured, 'row' | 'ratio' | 'quartiles'>

/** The ratios of the table as bars, with what is required and what is aimed at. */
export function drawChart(measured: readonly Drawn[], where: string): string {
  const most = Math.max(1, ...measured.map(({ ratio }) => ratio))
  const x = (ratio: number) => Math.round((LEFT + (Math.min(ratio, most) / most) * SCALE) * 10) / 10
  const bottom = TOP + measured.length * LINE
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (ratio) =>
      `<line class="${ratio === 1 ? 'limit' : 'grid'}" x1="${x(ratio)}" x2="${x(ratio)}" y1="${TOP - 8}" y2="${bottom}"/>` +
      `<text class="soft mid" x="${x(ratio)}" y="${bottom + 18}">${ratio === 1 ? 'the limit' : ratio}</text>`,
  )
  const lines = measured.map((line, i) => {
    const { row, ratio } = line
    const y = TOP + i * LINE + (LINE - BAR) / 2
    const isMissed = verdictOf(line) === 'NOT MET'
    return [
      `<text class="end" x="${LEFT - 12}" y="${y + 11}">${escaped(row.name)}</text>`,
      `<rect class="track" x="${LEFT}" y="${y}" width="${SCALE}" height="${BAR}" rx="3"/>`,
      `<rect class="bar${isMissed ? ' missed' : ''}" x="${LEFT}" y="${y}" width="${Math.max(2, x(ratio) - LEFT)}" height="${BAR}" rx="3"/>`,
      row.required === undefined
        ? ''
        : `<line class="required" x1="${x(row.required)}" x2="${x(row.required)}" y1="${y - 3}" y2="${y + BAR + 3}"/>`,
      row.goal === undefined ? '' : `<circle class="goal" cx="${x(row.goal)}" cy="${y + BAR / 2}" r="4.5"/>`,
      `<text class="value" x="${LEFT + SCALE + 14}" y="${y + 11}">${ratio.toFixed(2)}<tspan class="soft">${isMissed ? '  not met' : ''}</tspan></text>`,
    ].join('')
  })
  const said = measured.map(({ row, ratio }) => `${row.name} ${ratio.toFixed(2)}`).join(', ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 68}" width="${WIDTH}" height="${bottom + 68}" role="img" aria-labelledby="title said">
<title id="title">What the service reaches of its limit</title>
<desc id="said">${escaped(said)}</desc>
<style>${style}</style>
<text class="title" x="16" y="30">What the service reaches of its limit, measured in turns in the same run</text>
${[...grid, ...lines].join('\n')}
<line class="required" x1="22" x2="22" y1="${bottom + 36}" y2="${bottom + 50}"/><text class="soft" x="32" y="${bottom + 47}">required</text>
<circle class="goal" cx="102" cy="${bottom + 43}" r="4.5"/><text class="soft" x="114" y="${bottom + 47}">goal</text>
<text class="soft end" x="${WIDTH - 16}" y="${bottom + 47}">${escaped(where)}</text>
</svg>
`
}
