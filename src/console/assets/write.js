// Writing an invoice: the paper is worked out by the server as one types, and what was not sent yet is kept here.
import { parsed } from './follow.js'
import { kept, keptForTab } from './kept.js'

const form = document.querySelector('#write')
const place = document.querySelector('[data-preview]')
const PAUSE_MS = 400

let waiting
let latest = 0
async function preview() {
  const turn = ++latest
  const fields = new FormData(form)
  fields.set('instead', 'preview')
  fields.set('part', 'true')
  const answer = await fetch(form.action, { method: 'POST', body: fields }).catch(() => undefined)
  if (!answer?.ok || turn !== latest) return
  place.replaceChildren(...parsed(await answer.text()).childNodes)
}

// Kept for the account it was typed for, until a page shows that it was taken, or until whoever typed it signs out.
const UNSENT = 'console-unsent '
const SENT = 'console-sent'
const key = form && `${UNSENT}${form.elements.namedItem('form-place')?.value ?? ''} ${new URL(form.action).pathname}`
const typed = () =>
  Object.fromEntries([...new FormData(form)].filter(([name, value]) => name.startsWith('/') && value !== ''))

/** Offers what was left behind by a page that was closed before its form was sent. */
function offerUnsent() {
  const unsent = JSON.parse(kept.get(key) ?? 'null')
  if (!unsent || JSON.stringify(unsent) === JSON.stringify(typed()) || form.querySelector('.problem-box')) return
  const offer = document.createElement('p')
  offer.className = 'notice plain'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'link'
  button.textContent = 'Put it back'
  button.addEventListener('click', () => {
    for (const [name, value] of Object.entries(unsent)) {
      const field = form.elements.namedItem(name)
      if (field && 'value' in field) field.value = value
    }
    offer.remove()
    preview()
  })
  offer.append('What you typed here was not sent. ', button)
  form.before(offer)
}

if (form && place) {
  keptForTab.drop(SENT)
  offerUnsent()
  form.addEventListener('input', () => {
    kept.set(key, JSON.stringify(typed()))
    clearTimeout(waiting)
    waiting = setTimeout(preview, PAUSE_MS)
  })
  form.addEventListener('submit', () => keptForTab.set(SENT, key))
  if (Object.keys(typed()).length > 3) preview()
} else if (document.querySelector('body.console')) {
  kept.drop(keptForTab.get(SENT))
  keptForTab.drop(SENT)
}

for (const way of document.querySelectorAll('form[action^="/console/sign-out"]'))
  way.addEventListener('submit', () => {
    for (const name of kept.names()) if (name.startsWith(UNSENT)) kept.drop(name)
  })
