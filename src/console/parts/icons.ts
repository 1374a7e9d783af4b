import { Html, html } from '../../http/html.ts'

/** Sixteen units wide, one stroke, no fill; drawn in the colour of the text around them. */
const strokes = {
  request: 'M2.5 8h10.5M9 4l4 4-4 4',
  back: 'M13.5 8H3M7 4 3 8l4 4',
  move: 'M8 2.5 13.5 8 8 13.5 2.5 8z',
  event: 'M9 1.8 3.8 9H8l-1 5.2L12.2 7H8z',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5z',
  mail: 'M2 3.5h12v9H2zM2.3 4.2 8 9l5.7-4.8',
  clock: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 4.7V8l2.3 1.5',
  money: 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13',
  eye: 'M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6',
  check: 'M3 8.5 6.3 11.8 13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.3 10.3 14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  play: 'M5 3.2 12.5 8 5 12.8z',
  file: 'M3.5 1.8H9L12.5 5.3v9h-9zM9 1.8v3.5h3.5',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  out: 'M6.5 3.5H3V13h9.5V9.5M9 2.5h4.5V7M13.5 2.5 7.5 8.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  plus: 'M8 3v10M3 8h10',
  key: 'M5.5 7a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 5.5 7M8 8.2 13.5 2.7M11.3 5l2 2',
  warn: 'M8 2.2 14.3 13.3H1.7zM8 6.5v3.2M8 11.4v.1',
  again: 'M13 8a5 5 0 1 1-1.7-3.7L13 6M13 2.5V6H9.5',
} as const
export type Glyph = keyof typeof strokes

/** How far an invoice is settled, as a disc that fills: it is read without colour. */
const discs = {
  draft: '<circle cx="8" cy="8" r="5.5" stroke-dasharray="2.3 2.02"/>',
  scheduled: '<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3l2 1.3"/>',
  sent: '<circle cx="8" cy="8" r="5.5"/>',
  pending: '<circle cx="8" cy="8" r="5.5"/><circle cx="8" cy="8" r="1.5" class="full"/>',
  partial: '<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 0 0 11z" class="full"/>',
  paid: '<circle cx="8" cy="8" r="5.5" class="full"/><path d="M5.4 8.2 7.3 10 10.7 6.3" class="cut-out"/>',
  marked: '<circle cx="8" cy="8" r="5.5"/><path d="M5.4 8.2 7.3 10 10.7 6.3"/>',
  returned: '<circle cx="8" cy="8" r="5.5"/><path d="M10.7 8H5.6M7.5 6 5.4 8l2.1 2"/>',
  cancelled: '<circle cx="8" cy="8" r="5.5"/><path d="M4.2 11.8 11.8 4.2"/>',
} as const
export type Disc = keyof typeof discs

export const icon = (name: Glyph, label?: string, tone = ''): Html =>
  html`<svg class="icon ${tone}" viewBox="0 0 16 16"${
    label ? html` role="img" aria-label="${label}"` : html` aria-hidden="true"`
  }><path d="${strokes[name]}"/></svg>`

export const disc = (name: Disc, tone: string): Html =>
  html`<svg class="icon disc ${tone}" viewBox="0 0 16 16" aria-hidden="true">${new Html(discs[name])}</svg>`

export const arrow = icon('request', 'to', 'arrow')
