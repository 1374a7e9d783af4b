// The timeline goes on by itself. It holds what is new while the pointer or the focus rests on the list, because somebody reads
// there then, and it stops following while the tab is hidden.

const list = document.querySelector('[data-follow]')
const sign = document.querySelector('.following')
const KEPT_MAX = 400
const policy = globalThis.trustedTypes?.createPolicy('quittance', { createHTML: (markup) => markup })

/** Markup of our own server, every value in it escaped there. */
export function parsed(markup) {
  const holder = document.createElement('template')
  holder.innerHTML = policy ? policy.createHTML(markup) : markup
  return holder.content
}

let seq = list?.dataset.follow
let held = []
let isReading = false
let isPaused = false

function say(state, words) {
  sign.className = `following ${state}`
  if (sign.textContent !== words) sign.textContent = words
}

function put(threads) {
  for (const one of threads) {
    const known = list.querySelector(`[data-thread="${CSS.escape(one.dataset.thread)}"]`)
    if (known) known.replaceWith(one)
    else
      (list.querySelector('.day') ?? list).insertAdjacentElement(
        list.querySelector('.day') ? 'afterend' : 'afterbegin',
        one,
      )
  }
  const all = list.querySelectorAll(':scope > [data-thread]')
  for (let i = KEPT_MAX; i < all.length; i++) all[i].remove()
}

function release() {
  if (isReading || isPaused || held.length === 0) return
  put(held)
  held = []
  tell()
}

const tell = () => (isPaused ? say('held', 'Paused; p goes on') : say('on', 'Following'))

function pause() {
  isPaused = !isPaused
  if (!isPaused) release()
  tell()
}

const LOST_AFTER_MS = 4000
let source
let lost

/**
 * Follows over one connection that is held open. A browser that loses it comes back by itself, after the last that it heard;
 * only when it stays away is the connection lost.
 */
function follow() {
  const query = new URLSearchParams(location.search)
  query.set('after', seq)
  source = new EventSource(`/console/live?${query}`)
  source.onopen = () => clearTimeout(lost)
  source.onmessage = ({ data }) => held.push(...parsed(data).children)
  source.addEventListener('many', ({ data }) => {
    source.close()
    say('held', `More than ${data} new; reload to see them`)
  })
  source.addEventListener('seq', ({ data }) => {
    clearTimeout(lost)
    // Another state of the sandbox was loaded, or it began anew.
    if (Number(data) < Number(seq)) return location.reload()
    seq = data
    release()
    if (held.length > 0) say('held', `${held.length} new, held while you read`)
    else if (source.readyState !== EventSource.CLOSED) tell()
  })
  source.onerror = () => {
    clearTimeout(lost)
    if (source.readyState === EventSource.CLOSED) return say('', 'Reload to see more')
    lost = setTimeout(() => say('lost', 'Connection lost, trying again'), LOST_AFTER_MS)
  }
}

/** Nobody looks at a hidden tab, so it does not follow. */
function rest() {
  clearTimeout(lost)
  source?.close()
  if (!document.hidden) follow()
}

const inspector = document.querySelector('.inspector')
let asked

/** Shows what is chosen beside the list, if there is room for it there. */
async function inspect(event) {
  const row = event.target.closest?.('[data-inspect]')
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey || !inspector?.checkVisibility()) return
  event.preventDefault()
  list.querySelector('[aria-current]')?.removeAttribute('aria-current')
  row.setAttribute('aria-current', 'true')
  asked = row
  const answer = await fetch(`/console/requests/${row.dataset.inspect}/part`).catch(() => undefined)
  if (asked !== row) return
  if (!answer?.ok) return location.assign(row.href)
  inspector.replaceChildren(...parsed(await answer.text()).childNodes)
}

if (list) {
  let isOver = false
  const look = ({ type }) => {
    if (/^p/.test(type)) isOver = type === 'pointerenter'
    isReading = isOver || list.matches(':has(:focus-visible)')
    release()
  }
  for (const type of ['pointerenter', 'pointerleave']) list.addEventListener(type, look)
  // This looks a moment later, because between two rows the focus is nowhere.
  for (const type of ['focusin', 'focusout']) list.addEventListener(type, (event) => setTimeout(look, 0, event))
  list.addEventListener('click', inspect)
  sign.addEventListener('click', pause)
  say('on', 'Following')
  document.addEventListener('visibilitychange', rest)
  if (!document.hidden) follow()
}
