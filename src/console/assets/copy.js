// Copying a value. Somebody who does not see the mark on the button hears that it was copied.
const said = document.createElement('p')
said.className = 'seen-not'
said.role = 'status'
document.body.append(said)

/** A page that is read without TLS has no clipboard, and a reader may forbid it. Then the browser copies what is selected. */
function copyChosen(text) {
  const chosen = document.createElement('textarea')
  chosen.value = text
  document.body.append(chosen)
  chosen.select()
  const isCopied = document.execCommand('copy')
  chosen.remove()
  return isCopied
}

addEventListener('click', async ({ target }) => {
  const button = target.closest?.('[data-copy]')
  const text = button?.parentElement.querySelector('[data-value]')?.textContent
  if (!text) return
  let isCopied = true
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    isCopied = copyChosen(text)
    button.focus()
  }
  said.textContent = isCopied ? 'Copied' : 'This browser lets nothing be copied by a button'
  button.classList.toggle('done', isCopied)
  setTimeout(() => {
    said.textContent = ''
    button.classList.remove('done')
  }, 1200)
})
