import type { Link } from '../../kernel/links.ts'
import { Type } from '../../kernel/type.ts'

export const PAGE_MAX = 1000
export const PAGE_SIZE_MAX = 100

export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: 20 })),
}

export interface PageRequest {
  readonly page?: number
  readonly page_size?: number
  /** Absent for lists that never count. */
  readonly total_required?: boolean
  readonly fields?: string
}

/** Where a page is, and what is known of its neighbours. */
export interface PagePlace {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly query: PageRequest
  readonly hasNext: boolean
  /** Known only when the caller asked for totals. */
  readonly pages?: number
}

/** Links to this page and to those around it that exist. */
export function pageLinks({ url, method, query, hasNext, pages }: PagePlace): Link[] {
  const { page = 1, page_size = 20, total_required, fields } = query
  const link = (rel: string, to: number): Link => {
    const parameters = new URLSearchParams({
      page: String(to),
      page_size: String(page_size),
      ...(total_required !== undefined && { total_required: String(total_required) }),
      ...(fields !== undefined && { fields }),
    })
    return { href: `${url}?${parameters}`, rel, method }
  }
  // No link leads beyond the last page that can be asked for, however many pages there would be.
  const last = pages === undefined ? undefined : Math.max(1, Math.min(pages, PAGE_MAX))
  return [
    link('self', page),
    ...(page > 1 ? [link('first', 1), link('prev', Math.min(page - 1, last ?? PAGE_MAX))] : []),
    ...(hasNext && page < PAGE_MAX ? [link('next', page + 1)] : []),
    ...(last !== undefined && last !== page ? [link('last', last)] : []),
  ]
}
