import type { Account } from '../../accounts/schema.ts'
import type { Link } from '../../kernel/links.ts'
import type { Service } from '../../room.ts'
import { shownInvoicer, shownRecipient } from '../schema/parties.ts'
import type { Template, TemplateInfo } from './schema.ts'
import type { TemplateOwner } from './store.ts'
import { systemTemplates } from './system.ts'

export const templatesUrl = ({ publicUrl }: Service): string => `${publicUrl}/v2/invoicing/templates`

export const templateLink = (service: Service, id: string) => ({
  id,
  rel: 'self',
  href: `${templatesUrl(service)}/${id}`,
  method: 'GET',
})

const isSystem = (account: Account, id: string): boolean =>
  systemTemplates(account).some((template) => template.id === id)

/** The merchant's choice, or the system's first template. */
export const defaultTemplateId = ({ account, default_template_id }: TemplateOwner): string =>
  default_template_id ?? systemTemplates(account)[0]!.id

function linksOf(service: Service, id: string, system: boolean): Link[] {
  const href = `${templatesUrl(service)}/${id}`
  const self = { href, rel: 'self', method: 'GET' }
  return system ? [self] : [self, { href, rel: 'delete', method: 'DELETE' }, { href, rel: 'replace', method: 'PUT' }]
}

/** The whole template, or only enough of it to choose by. */
export function presentTemplate(service: Service, owner: TemplateOwner, template: Template, brief = false) {
  const { id, name } = template
  const system = isSystem(owner.account, id)
  const head = { id, template_id: id, name, default_template: id === defaultTemplateId(owner) }
  const links = linksOf(service, id, system)
  if (brief) return { ...head, links }
  return {
    ...head,
    ...(template.description !== undefined && { description: template.description }),
    template_info: presentInfo(template.template_info),
    ...(template.settings && { settings: template.settings }),
    unit_of_measure: template.unit_of_measure,
    standard_template: system,
    links,
  }
}

function presentInfo({ detail, invoicer, primary_recipients, ...info }: TemplateInfo) {
  return {
    ...(detail && {
      detail: {
        ...detail,
        ...(detail.terms_and_conditions !== undefined && { term: detail.terms_and_conditions }),
      },
    }),
    ...(invoicer && { invoicer: shownInvoicer(invoicer) }),
    ...(primary_recipients && { primary_recipients: primary_recipients.map(shownRecipient) }),
    ...info,
  }
}
