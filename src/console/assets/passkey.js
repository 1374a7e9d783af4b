// A passkey goes with a form: the button asks the browser for one, and the form carries what it says.
const reasons = {
  NotAllowedError: 'Nothing came back: it was cancelled, or took too long.',
  InvalidStateError: 'This device has a passkey for you already.',
  SecurityError: 'The browser allows no passkeys at this address.',
}

async function ask({ passkey: kind, options }) {
  const given = JSON.parse(options)
  const { credentials } = navigator
  if (!credentials || !globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON)
    throw new Error('This browser knows no passkeys.')
  return kind === 'create'
    ? credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given) })
    : credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) })
}

for (const form of document.querySelectorAll('form[data-passkey]'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const said = form.querySelector('[data-said]')
    said.hidden = true
    try {
      form.elements.passkey.value = JSON.stringify(await ask(form.dataset))
      form.submit()
    } catch (error) {
      said.textContent = reasons[error.name] ?? error.message
      said.hidden = false
    }
  })
