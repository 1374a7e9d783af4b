// What the browser keeps for us. Where it forbids that, or has no storage or a full one, this lasts as long as the page is
// open.
function keeper(name) {
  const here = new Map()
  const ask = (work, otherwise) => {
    try {
      return work(globalThis[name])
    } catch {
      return otherwise?.()
    }
  }
  return {
    get: (key) => ask((kept) => kept.getItem(key)) ?? here.get(key),
    set: (key, value) =>
      ask(
        (kept) => kept.setItem(key, value),
        () => here.set(key, value),
      ),
    drop(key) {
      here.delete(key)
      ask((kept) => kept.removeItem(key))
    },
    names: () => ask(Object.keys) ?? [],
  }
}

export const kept = keeper('localStorage')
export const keptForTab = keeper('sessionStorage')
