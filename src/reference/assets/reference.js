// What a reader gains with scripts: a search that drops down, copying, and answers in the page. All works without them.
import './copy.js'

document.documentElement.classList.add('scripted')

const policy = globalThis.trustedTypes?.createPolicy('quittance', { createHTML: (markup) => markup })

/** Markup of our own server, every value in it escaped there. */
function put(place, markup) {
  const holder = document.createElement('template')
  holder.innerHTML = policy ? policy.createHTML(markup) : markup
  place.replaceChildren(holder.content)
}

const field = document.querySelector('.find input')
const found = document.querySelector('#found')
const counted = document.querySelector('#counted')
let waiting
let asked = 0

/** What was asked for before comes too late. */
function close() {
  clearTimeout(waiting)
  asked++
  found.hidden = true
  found.replaceChildren()
  counted.textContent = ''
}

async function search() {
  const query = field.value.trim()
  const mine = ++asked
  if (query.length < 2) return close()
  const wish = new URLSearchParams({ q: query })
  const dialect = new URLSearchParams(location.search).get('dialect')
  if (dialect) wish.set('dialect', dialect)
  const answer = await fetch(`/docs/search/part?${wish}`)
  const markup = await answer.text()
  // Whoever already goes through what was found keeps it: a new list would take the place from under them.
  if (mine !== asked || !answer.ok || found.contains(document.activeElement)) return
  put(found, markup)
  found.hidden = !found.firstElementChild
  counted.textContent = found.hidden ? 'Nothing found' : `${hits().length} found; the arrow down leads there`
}

field.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(search, 120)
})

const hits = () => [...found.querySelectorAll('a')]

addEventListener('keydown', (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const { key, target } = event
  const inSearch = target === field || found.contains(target)
  if (key === 'Escape' && inSearch) {
    close()
    return field.focus()
  }
  if (inSearch && (key === 'ArrowDown' || key === 'ArrowUp')) {
    const all = [field, ...hits()]
    const next = all[all.indexOf(target) + (key === 'ArrowDown' ? 1 : -1)]
    if (!next) return
    event.preventDefault()
    return next.focus()
  }
  if (target.closest?.('input, select, textarea')) return
  if (key === '/') {
    event.preventDefault()
    field.focus()
  }
})
addEventListener('click', ({ target }) => {
  if (!target.closest?.('.find')) close()
})
// Nor does it lie over what somebody goes on to by the key.
field.form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !field.form.contains(relatedTarget)) close()
})

for (const form of document.querySelectorAll('[data-try]'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const place = form.parentElement.querySelector('.outcome')
    // Not by a button that cannot be pressed: it would lose the focus.
    if (form.ariaBusy) return
    form.ariaBusy = 'true'
    const body = form.enctype === 'multipart/form-data' ? new FormData(form) : new URLSearchParams(new FormData(form))
    const address = new URL(form.action)
    address.searchParams.set('part', '1')
    try {
      const answer = await fetch(address, { method: 'POST', body })
      if (!answer.headers.get('content-type')?.startsWith('text/html')) throw new Error(String(answer.status))
      put(place, await answer.text())
    } catch (error) {
      place.textContent = `No answer came (${error.message}).`
    } finally {
      form.ariaBusy = null
    }
  })

// An address can name a field that is folded away.
function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target) return
  for (let place = target.closest('details'); place; place = place.parentElement.closest('details')) place.open = true
  target.scrollIntoView({ block: 'start' })
}
addEventListener('hashchange', unfold)
unfold()

document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' })
