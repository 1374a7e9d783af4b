// What a reader gains with scripts: keys, copying, clocks that tick. Every page works without them.
import './copy.js'
import './follow.js'
import './passkey.js'
import './write.js'
import { kept } from './kept.js'

document.documentElement.classList.add('scripted')

const places = new Map([...document.querySelectorAll('nav [data-key]')].map((link) => [link.dataset.key, link]))
const rows = () =>
  [...document.querySelectorAll('main a.row, main a.open, .letters a')].filter((row) => row.checkVisibility())

// The button that each key presses, if it is on the page.
const presses = {
  f: '.timepiece [name=freeze]',
  n: '.timepiece .next',
  p: '.following',
  y: '.inspector [data-curl]',
  '?': '.keys-button',
}

// Keys can be turned off: somebody who speaks to the browser, or rests a hand on the keys, would press what they do not mean.
const KEYS_OFF = 'console-keys-off'
const areOff = () => kept.get(KEYS_OFF) !== undefined
const keysSwitch = document.querySelector('[data-keys]')
const sayKeys = () => {
  if (keysSwitch) keysSwitch.textContent = areOff() ? 'Turn them on' : 'Turn them off'
}
sayKeys()
keysSwitch?.addEventListener('click', () => {
  if (areOff()) kept.drop(KEYS_OFF)
  else kept.set(KEYS_OFF, '')
  sayKeys()
})

let before = ''
addEventListener('keydown', (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const { key, target } = event
  if (key === 'Escape') {
    // The browser closes what lies on top, and then gives the focus back.
    if (!document.querySelector(':popover-open')) document.activeElement?.blur()
    return
  }
  if (areOff() || target.closest?.('input, select, textarea')) return
  if (before === 'g') places.get(key)?.click()
  if (before === 'e') document.querySelectorAll('.eyes button')[Number(key) - 1]?.click()
  before = key
  const button = presses[key]
  if (button) document.querySelector(button)?.click()
  if (key === '/') {
    event.preventDefault()
    document.querySelector('.find input')?.focus()
  }
  if (key === 'j' || key === 'k') {
    const all = rows()
    const at = all.indexOf(document.activeElement)
    const next = all[at < 0 ? 0 : at + (key === 'j' ? 1 : -1)]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
})

// A request that is larger than allowed would be refused unread, and all that was typed would be lost with it.
addEventListener('change', ({ target }) => {
  const most = Number(target.dataset?.bytesMax)
  if (!most) return
  const bytes = [...target.files].reduce((sum, { size }) => sum + size, 0)
  target.setCustomValidity(bytes > most ? `All files together may have at most ${most / 2 ** 20} MiB.` : '')
})
addEventListener('submit', (event) => {
  // This is checked even where a button asks for no check, such as the button that keeps a draft.
  for (const field of event.target.querySelectorAll('[data-bytes-max]'))
    if (!field.reportValidity()) event.preventDefault()
})

// A second click would drop the answer to the first, and with it perhaps a secret that is shown only once. Somebody who has
// waited this long in vain may click again.
const PATIENCE_MS = 5000
let sent = new WeakMap()
addEventListener('pageshow', () => {
  sent = new WeakMap()
})
addEventListener('submit', (event) => {
  const form = event.target
  if (event.defaultPrevented || form.getAttribute('method') !== 'post') return
  if (performance.now() - (sent.get(form) ?? -PATIENCE_MS) < PATIENCE_MS) event.preventDefault()
  else sent.set(form, performance.now())
})

// The clock of the sandbox as it runs; deadlines count down on it.
const clock = document.querySelector('[data-clock]')
const drawnAt = performance.now()
const units = [
  ['d', 864e5],
  ['h', 36e5],
  ['min', 6e4],
  ['s', 1e3],
]
function span(ms) {
  const i = units.findIndex(([, size]) => ms >= size)
  if (i < 0) return '0 s'
  const [unit, size] = units[i]
  const whole = Math.floor(ms / size)
  const rest = units[i + 1] && whole < 10 ? Math.floor((ms % size) / units[i + 1][1]) : 0
  return `${whole} ${unit}${rest > 0 ? ` ${rest} ${units[i + 1][0]}` : ''}`
}
function tick() {
  const now = Date.parse(clock.dateTime) + performance.now() - drawnAt
  const text = new Date(now).toUTCString()
  clock.lastElementChild.textContent = text.slice(17, 25)
  clock.firstChild.data = `${text.slice(0, 16).replace(/, 0?/, ' ')} `
  for (const one of document.querySelectorAll('[data-away]')) {
    const left = Date.parse(one.dateTime) - now
    const past = one.dataset.away === 'ahead' ? 'now' : `${span(-left)} ago`
    one.textContent = left > 0 && one.dataset.away !== 'ago' ? `in ${span(left)}` : past
  }
}
if (clock && !('frozen' in clock.dataset)) setInterval(() => document.hidden || tick(), 1000)

// Something that goes on by itself: the page is drawn again until it is over. That waits while nobody looks, and while somebody
// goes through the page by keys, who would have to begin anew each time.
const drawAgain = (draw, ms) =>
  setTimeout(() => (document.hidden || document.querySelector(':focus-visible') ? drawAgain(draw, ms) : draw()), ms)
const again = document.querySelector('[data-again]')
if (again) drawAgain(() => location.reload(), Number(again.dataset.again))
// The page of a story that is being played is drawn again with every step.
const story = document.querySelector('[data-run]')
if (story) drawAgain(() => location.replace(`${location.pathname}?after=${story.dataset.run}`), 300)

// Whoever opens a mail has read it, and the server is told so.
const read = document.querySelector('form[data-read]')
if (read)
  fetch(read.action, { method: 'POST', body: new URLSearchParams(new FormData(read)), redirect: 'manual' }).then(() => {
    document.querySelector('.letters .new[aria-current]')?.classList.remove('new')
    read.remove()
  })

document.querySelector('.problem-box')?.focus()
