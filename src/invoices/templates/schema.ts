import { AccountAddress, AccountPhone } from '../../accounts/schema.ts'
import { Links } from '../../kernel/links.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { type DisplayField, itemFields, subtotalFields } from '../schema/enums.ts'
import { commonConfiguration, commonDetail, TermType } from '../schema/given.ts'
import { AmountSummary, Computed, Items, unitsOfMeasure } from '../schema/lines.ts'
import { AdditionalRecipients, Invoicer, PrimaryRecipients } from '../schema/parties.ts'

const shown = { readOnly: true } as const
const moment = Type.Optional(Type.String({ maxLength: 30, ...shown }))
const by = Type.Optional(Type.String({ maxLength: 254, ...shown }))

const TemplateDetail = Type.Object({
  ...commonDetail,
  payment_term: Type.Optional(Type.Object({ term_type: Type.Optional(TermType) })),
  metadata: Type.Optional(Type.Object({ create_time: moment, created_by: by, last_update_time: moment }, shown)),
})

export const TemplateInfo = Type.Object({
  detail: Type.Optional(TemplateDetail),
  invoicer: Type.Optional(Invoicer),
  primary_recipients: Type.Optional(PrimaryRecipients),
  additional_recipients: Type.Optional(AdditionalRecipients),
  items: Type.Optional(Items),
  configuration: Type.Optional(Type.Object(commonConfiguration)),
  amount: Type.Optional(AmountSummary),
  due_amount: Computed,
})
export type TemplateInfo = Static<typeof TemplateInfo>

const display = Type.Optional(Type.Object({ hidden: Type.Optional(Type.Boolean()) }))

const Settings = Type.Object({
  template_item_settings: Type.Optional(
    Type.Array(Type.Object({ field_name: Type.Enum(itemFields), display_preference: display }), { maxItems: 50 }),
  ),
  template_subtotal_settings: Type.Optional(
    Type.Array(Type.Object({ field_name: Type.Enum(subtotalFields), display_preference: display }), { maxItems: 50 }),
  ),
})

export const TemplateInput = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })),
  description: Type.Optional(Type.String({ minLength: 1, maxLength: 160 })),
  default_template: Type.Optional(Type.Boolean()),
  template_info: Type.Optional(TemplateInfo),
  settings: Type.Optional(Settings),
  unit_of_measure: Type.Optional(Type.Enum(unitsOfMeasure)),
})
export type TemplateInput = Static<typeof TemplateInput>

/** A template as it is stored. Which one is the default is a setting of the merchant, not of the template. */
export interface Template {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly template_info: TemplateInfo
  readonly settings?: TemplateInput['settings']
  readonly unit_of_measure: (typeof unitsOfMeasure)[number]
  /** The name of the last update of its `template_info`. */
  readonly last_update?: string
}

/** What an invoice made from this template does not show. */
export function hiddenFields({ settings }: Pick<Template, 'settings'>): DisplayField[] {
  const { template_item_settings = [], template_subtotal_settings = [] } = settings ?? {}
  const preferences = [...template_item_settings, ...template_subtotal_settings]
  return preferences.filter(({ display_preference }) => display_preference?.hidden).map(({ field_name }) => field_name)
}

export const TemplateView = Type.Object(
  {
    id: Type.String({ maxLength: 30 }),
    template_id: Type.String({ maxLength: 30, description: 'The same as `id`.' }),
    ...TemplateInput.properties,
    standard_template: Type.Optional(Type.Boolean()),
    links: Links,
  },
  { $id: 'InvoiceTemplate', description: 'What a new invoice can start from.' },
)

export const TemplateList = Type.Object({
  addresses: Type.Array(AccountAddress, { maxItems: 10 }),
  emails: Type.String({ maxLength: 4000 }),
  phones: Type.Array(AccountPhone, { maxItems: 10 }),
  templates: Type.Array(TemplateView, { maxItems: 100 }),
  links: Links,
})
