const usd = (value: string) => ({ currency_code: 'USD', value })

/** An invoice of about 1.5 KB with everything most invoices have. */
export const sampleInvoice = (invoice_number?: string) => ({
  detail: {
    ...(invoice_number !== undefined && { invoice_number }),
    reference: 'deal-ref',
    invoice_date: '2018-11-12',
    currency_code: 'USD',
    note: 'Thank you for your business.',
    term: 'No refunds after 30 days.',
    memo: 'This is a long contract',
    payment_term: { term_type: 'NET_10' },
  },
  invoicer: {
    name: { given_name: 'David', surname: 'Larusso' },
    address: {
      address_line_1: '1234 First Street',
      address_line_2: '337673 Hillside Court',
      admin_area_2: 'Anytown',
      admin_area_1: 'CA',
      postal_code: '98765',
      country_code: 'US',
    },
    email_address: 'merchant@example.com',
    phones: [{ country_code: '001', national_number: '4085551234', phone_type: 'MOBILE' }],
    website: 'www.example.com',
    tax_id: 'XX-XXXXXXX',
    logo_url: 'https://example.com/logo.png',
    additional_notes: 'example note',
  },
  primary_recipients: [
    {
      billing_info: {
        name: { given_name: 'Stephanie', surname: 'Meyers' },
        address: {
          address_line_1: '1234 Main Street',
          admin_area_2: 'Anytown',
          admin_area_1: 'CA',
          postal_code: '98765',
          country_code: 'US',
        },
        email_address: 'bill-me@example.com',
        phones: [{ country_code: '001', national_number: '4884551234', phone_type: 'HOME' }],
        additional_info_value: 'add-info',
      },
      shipping_info: {
        name: { given_name: 'Stephanie', surname: 'Meyers' },
        address: {
          address_line_1: '1234 Main Street',
          admin_area_2: 'Anytown',
          admin_area_1: 'CA',
          postal_code: '98765',
          country_code: 'US',
        },
      },
    },
  ],
  items: [
    {
      name: 'Yoga Mat',
      description: 'Elastic mat to practice yoga.',
      quantity: '1',
      unit_amount: usd('50.00'),
      tax: { name: 'Sales Tax', percent: '7.25' },
      discount: { percent: '5' },
      unit_of_measure: 'QUANTITY',
    },
    {
      name: 'Yoga t-shirt',
      quantity: '1',
      unit_amount: usd('10.00'),
      tax: { name: 'Sales Tax', percent: '7.25' },
      discount: { amount: usd('5.00') },
      unit_of_measure: 'QUANTITY',
    },
  ],
  configuration: {
    partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('20.00') },
    allow_tip: true,
    tax_calculated_after_discount: true,
    tax_inclusive: false,
  },
  amount: {
    breakdown: {
      custom: { label: 'Packing Charges', amount: usd('10.00') },
      shipping: { amount: usd('10.00'), tax: { name: 'Sales Tax', percent: '7.25' } },
      discount: { invoice_discount: { percent: '5' } },
    },
  },
})
