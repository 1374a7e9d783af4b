/** The address of a page or form, from the url of its route. */
export const addressOf = (url: string, params: unknown): string =>
  url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))

/** The urls of all pages, to find the page that a form stands on. A form may have an address at which there is nothing to see. */
export class PageUrls {
  readonly #known = new Set<string>()

  add(url: string): void {
    this.#known.add(unnamed(url))
  }

  /** The page at this url, or the nearest above it. */
  of(url: string): string {
    return url === '' || this.#known.has(unnamed(url)) ? url : this.of(url.slice(0, url.lastIndexOf('/')))
  }

  /** The page that a form stands on, for whoever opens the form's own address: that was in the bar when the form was refused. */
  above(path: string): string | undefined {
    const is = (one: string) => [...this.#known].some((url) => formOf(url).test(one))
    if (is(path)) return undefined
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (is(path.slice(0, end))) return path.slice(0, end)
    return undefined
  }
}

const formOf = (url: string) => new RegExp(`^${url.replaceAll(':', '[^/]+')}$`)

/** Leaves out the names of parameters, because pages and forms name the parts of their addresses each as they like. */
const unnamed = (url: string) => url.replace(/:\w+/g, ':')
