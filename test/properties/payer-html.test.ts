import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escaped, Html, html, linkable } from '../../src/http/html.ts'

describe('Markup', () => {
  it('never lets a text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { text: markup } = html`<p title="${text}">${text}</p>`
        const [, attribute, content] = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(markup) ?? []
        expect(attribute).toBe(escaped(text))
        expect(content).toBe(escaped(text))
      }),
    )
  })

  it('lets only markup through as it is, and prints nothing for nothing', () => {
    expect(html`${new Html('<b>')}${'<b>'}${[html`<i>`, '<i>']}${false}${undefined}${null}${0}`.text).toBe(
      '<b>&lt;b&gt;<i>&lt;i&gt;0',
    )
  })

  it('cannot be made by something that only looks like markup', () => {
    const forged = { text: '<script>', toString: () => '<script>' }

    expect(() => html`${forged as never}`.text).toThrow()
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', ' javascript:x', 'JaVaScRiPt:x', 'not an address'])(
    'links to no %s',
    (address) => expect(linkable(address)).toBeUndefined(),
  )

  it('links to the web', () => {
    expect(linkable('https://example.com/a?b=c')).toBe('https://example.com/a?b=c')
  })
})
