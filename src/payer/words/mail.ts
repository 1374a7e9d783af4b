import type { MailKind } from '../../kernel/mail.ts'
import type { Language } from './languages.ts'

/** The subject of a mail, and its first sentence. */
export interface MailWords {
  readonly subject: string
  readonly lead: string
}

interface Phrases {
  readonly kinds: Readonly<Record<MailKind, MailWords>>
  readonly view: string
  readonly viewAndPay: string
  readonly greeting: string
  readonly closing: string
}

/** What the customer reads about an invoice. `{business}`, `{number}`, `{amount}`, `{due}`, `{customer}` are filled in. */
export const mailPhrases: Readonly<Record<Language, Phrases>> = {
  en: {
    view: 'View invoice',
    viewAndPay: 'View and pay invoice',
    greeting: 'Hello {customer},',
    closing: 'Sent on behalf of {business}. Reply to this mail to reach them.',
    kinds: {
      invoice: { subject: 'Invoice {number} from {business}', lead: '{business} sent you an invoice for {amount}.' },
      'invoice-updated': {
        subject: 'Invoice {number} from {business} was updated',
        lead: '{business} updated invoice {number}. It now comes to {amount}.',
      },
      reminder: {
        subject: 'Reminder: invoice {number} from {business}',
        lead: 'A friendly reminder: {due} is still due on invoice {number}.',
      },
      'invoice-cancelled': {
        subject: 'Invoice {number} from {business} was cancelled',
        lead: '{business} cancelled invoice {number}. You do not need to pay it.',
      },
      'payment-received': {
        subject: 'Your payment to {business}',
        lead: 'Thank you. Your payment of {amount} for invoice {number} arrived.',
      },
      'payment-pending': {
        subject: 'Your payment to {business} is pending',
        lead: 'Your payment of {amount} for invoice {number} was made and has not cleared yet.',
      },
      'payment-denied': {
        subject: 'Your payment to {business} was denied',
        lead: 'Your payment of {amount} for invoice {number} was denied. Nothing was charged.',
      },
      'payment-refunded': {
        subject: 'Refund from {business}',
        lead: '{business} refunded {amount} of your payment for invoice {number}.',
      },
      'payment-returned': {
        subject: 'Your payment to {business} goes back to you',
        lead: 'Your payment of {amount} came when it could no longer be taken for invoice {number}. It is on its way back to you.',
      },
    },
  },
  de: {
    view: 'Rechnung ansehen',
    viewAndPay: 'Rechnung ansehen und bezahlen',
    greeting: 'Guten Tag {customer},',
    closing: 'Gesendet im Auftrag von {business}. Antworten Sie auf diese E-Mail, um den Absender zu erreichen.',
    kinds: {
      invoice: {
        subject: 'Rechnung {number} von {business}',
        lead: '{business} hat Ihnen eine Rechnung über {amount} gesendet.',
      },
      'invoice-updated': {
        subject: 'Rechnung {number} von {business} wurde geändert',
        lead: '{business} hat die Rechnung {number} geändert. Sie beläuft sich jetzt auf {amount}.',
      },
      reminder: {
        subject: 'Erinnerung: Rechnung {number} von {business}',
        lead: 'Eine freundliche Erinnerung: Auf der Rechnung {number} sind noch {due} offen.',
      },
      'invoice-cancelled': {
        subject: 'Rechnung {number} von {business} wurde storniert',
        lead: '{business} hat die Rechnung {number} storniert. Sie müssen sie nicht bezahlen.',
      },
      'payment-received': {
        subject: 'Ihre Zahlung an {business}',
        lead: 'Vielen Dank. Ihre Zahlung von {amount} für die Rechnung {number} ist eingegangen.',
      },
      'payment-pending': {
        subject: 'Ihre Zahlung an {business} steht aus',
        lead: 'Ihre Zahlung von {amount} für die Rechnung {number} ist veranlasst und noch nicht gutgeschrieben.',
      },
      'payment-denied': {
        subject: 'Ihre Zahlung an {business} wurde abgelehnt',
        lead: 'Ihre Zahlung von {amount} für die Rechnung {number} wurde abgelehnt. Es wurde nichts abgebucht.',
      },
      'payment-refunded': {
        subject: 'Erstattung von {business}',
        lead: '{business} hat Ihnen {amount} Ihrer Zahlung für die Rechnung {number} erstattet.',
      },
      'payment-returned': {
        subject: 'Ihre Zahlung an {business} geht an Sie zurück',
        lead: 'Ihre Zahlung von {amount} kam, als sie für die Rechnung {number} nicht mehr angenommen werden konnte. Das Geld ist auf dem Weg zurück zu Ihnen.',
      },
    },
  },
  fr: {
    view: 'Voir la facture',
    viewAndPay: 'Voir et payer la facture',
    greeting: 'Bonjour {customer},',
    closing: 'Envoyé pour le compte de {business}. Répondez à cet e-mail pour joindre l’expéditeur.',
    kinds: {
      invoice: { subject: 'Facture {number} de {business}', lead: '{business} vous a envoyé une facture de {amount}.' },
      'invoice-updated': {
        subject: 'La facture {number} de {business} a été modifiée',
        lead: '{business} a modifié la facture {number}. Elle s’élève maintenant à {amount}.',
      },
      reminder: {
        subject: 'Rappel : facture {number} de {business}',
        lead: 'Un petit rappel : il reste {due} à payer sur la facture {number}.',
      },
      'invoice-cancelled': {
        subject: 'La facture {number} de {business} a été annulée',
        lead: '{business} a annulé la facture {number}. Vous n’avez pas à la payer.',
      },
      'payment-received': {
        subject: 'Votre paiement à {business}',
        lead: 'Merci. Votre paiement de {amount} pour la facture {number} est arrivé.',
      },
      'payment-pending': {
        subject: 'Votre paiement à {business} est en attente',
        lead: 'Votre paiement de {amount} pour la facture {number} est effectué mais pas encore crédité.',
      },
      'payment-denied': {
        subject: 'Votre paiement à {business} a été refusé',
        lead: 'Votre paiement de {amount} pour la facture {number} a été refusé. Rien n’a été débité.',
      },
      'payment-refunded': {
        subject: 'Remboursement de {business}',
        lead: '{business} vous a remboursé {amount} de votre paiement pour la facture {number}.',
      },
      'payment-returned': {
        subject: 'Votre paiement à {business} vous est remboursé',
        lead: 'Votre paiement de {amount} est arrivé alors qu’il ne pouvait plus être accepté pour la facture {number}. Il vous est en cours de remboursement.',
      },
    },
  },
  es: {
    view: 'Ver la factura',
    viewAndPay: 'Ver y pagar la factura',
    greeting: 'Hola, {customer}:',
    closing: 'Enviado en nombre de {business}. Responda a este correo para contactar con el remitente.',
    kinds: {
      invoice: { subject: 'Factura {number} de {business}', lead: '{business} le ha enviado una factura de {amount}.' },
      'invoice-updated': {
        subject: 'La factura {number} de {business} ha cambiado',
        lead: '{business} ha modificado la factura {number}. Ahora asciende a {amount}.',
      },
      reminder: {
        subject: 'Recordatorio: factura {number} de {business}',
        lead: 'Un amable recordatorio: quedan {due} por pagar de la factura {number}.',
      },
      'invoice-cancelled': {
        subject: 'La factura {number} de {business} se ha anulado',
        lead: '{business} ha anulado la factura {number}. No tiene que pagarla.',
      },
      'payment-received': {
        subject: 'Su pago a {business}',
        lead: 'Gracias. Su pago de {amount} por la factura {number} ha llegado.',
      },
      'payment-pending': {
        subject: 'Su pago a {business} está pendiente',
        lead: 'Su pago de {amount} por la factura {number} está hecho y aún no se ha abonado.',
      },
      'payment-denied': {
        subject: 'Su pago a {business} se ha rechazado',
        lead: 'Su pago de {amount} por la factura {number} se ha rechazado. No se ha cobrado nada.',
      },
      'payment-refunded': {
        subject: 'Reembolso de {business}',
        lead: '{business} le ha reembolsado {amount} de su pago por la factura {number}.',
      },
      'payment-returned': {
        subject: 'Le devolvemos su pago a {business}',
        lead: 'Su pago de {amount} llegó cuando ya no se podía aceptar para la factura {number}. Se lo estamos devolviendo.',
      },
    },
  },
  ja: {
    view: '請求書を見る',
    viewAndPay: '請求書を見て支払う',
    greeting: '{customer} 様',
    closing: '{business}に代わって送信しました。お問い合わせはこのメールにご返信ください。',
    kinds: {
      invoice: { subject: '{business}からの請求書 {number}', lead: '{business}から{amount}の請求書が届きました。' },
      'invoice-updated': {
        subject: '{business}からの請求書 {number} が更新されました',
        lead: '{business}が請求書 {number} を更新しました。現在の金額は{amount}です。',
      },
      reminder: {
        subject: 'お支払いのお願い: {business}からの請求書 {number}',
        lead: '請求書 {number} について、{due}のお支払いがまだ完了していません。',
      },
      'invoice-cancelled': {
        subject: '{business}からの請求書 {number} が取り消されました',
        lead: '{business}が請求書 {number} を取り消しました。お支払いは不要です。',
      },
      'payment-received': {
        subject: '{business}へのお支払い',
        lead: 'ありがとうございます。請求書 {number} の{amount}のお支払いが完了しました。',
      },
      'payment-pending': {
        subject: '{business}へのお支払いは処理中です',
        lead: '請求書 {number} の{amount}のお支払いを受け付けました。入金はまだ完了していません。',
      },
      'payment-denied': {
        subject: '{business}へのお支払いが拒否されました',
        lead: '請求書 {number} の{amount}のお支払いは拒否されました。請求は行われていません。',
      },
      'payment-refunded': {
        subject: '{business}からの返金',
        lead: '{business}が請求書 {number} のお支払いのうち{amount}を返金しました。',
      },
      'payment-returned': {
        subject: '{business}へのお支払いを返金します',
        lead: '{amount}のお支払いは、請求書 {number} に充てることができなくなった後に届きました。返金の手続き中です。',
      },
    },
  },
}
