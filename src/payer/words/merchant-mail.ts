import type { MailKind } from '../../kernel/mail.ts'
import type { Language } from './languages.ts'
import type { MailWords } from './mail.ts'

interface MerchantPhrases {
  readonly kinds: Readonly<Record<MailKind, MailWords>>
  /** Used where the customer's name would be. */
  readonly nameless: string
}

/** What the merchant reads about an invoice. The same values are filled in as for the customer. */
export const merchantPhrases: Readonly<Record<Language, MerchantPhrases>> = {
  en: {
    nameless: 'your customer',
    kinds: {
      invoice: {
        subject: 'Copy: invoice {number} to {customer}',
        lead: 'You sent invoice {number} for {amount} to {customer}.',
      },
      'invoice-updated': {
        subject: 'Copy: invoice {number} was updated',
        lead: 'You updated invoice {number} to {customer}. It now comes to {amount}.',
      },
      reminder: {
        subject: 'Copy: reminder of invoice {number}',
        lead: 'You reminded {customer} of {due} due on invoice {number}.',
      },
      'invoice-cancelled': {
        subject: 'Copy: invoice {number} was cancelled',
        lead: 'You cancelled invoice {number} to {customer}.',
      },
      'payment-received': {
        subject: '{customer} paid {amount} on invoice {number}',
        lead: '{customer} paid {amount} on invoice {number}. The money is in your balance.',
      },
      'payment-pending': {
        subject: 'A payment on invoice {number} is pending',
        lead: '{customer} paid {amount} on invoice {number}. It has not cleared yet: do not fulfil the order.',
      },
      'payment-denied': {
        subject: 'A payment on invoice {number} was denied',
        lead: 'A payment of {amount} by {customer} on invoice {number} was denied. No money arrived.',
      },
      'payment-refunded': {
        subject: 'You refunded {amount} on invoice {number}',
        lead: '{amount} of a payment by {customer} on invoice {number} was refunded.',
      },
      'payment-returned': {
        subject: 'A late payment of {amount} on invoice {number} goes back',
        lead: '{customer} paid {amount} when invoice {number} no longer took it. The money is on its way back; you need not do anything.',
      },
    },
  },
  de: {
    nameless: 'Ihr Kunde',
    kinds: {
      invoice: {
        subject: 'Kopie: Rechnung {number} an {customer}',
        lead: 'Sie haben die Rechnung {number} über {amount} an {customer} gesendet.',
      },
      'invoice-updated': {
        subject: 'Kopie: Rechnung {number} wurde geändert',
        lead: 'Sie haben die Rechnung {number} an {customer} geändert. Sie beläuft sich jetzt auf {amount}.',
      },
      reminder: {
        subject: 'Kopie: Erinnerung an Rechnung {number}',
        lead: 'Sie haben {customer} daran erinnert, dass auf der Rechnung {number} noch {due} offen sind.',
      },
      'invoice-cancelled': {
        subject: 'Kopie: Rechnung {number} wurde storniert',
        lead: 'Sie haben die Rechnung {number} an {customer} storniert.',
      },
      'payment-received': {
        subject: '{customer} hat {amount} für Rechnung {number} bezahlt',
        lead: '{customer} hat {amount} für die Rechnung {number} bezahlt. Das Geld ist Ihrem Guthaben gutgeschrieben.',
      },
      'payment-pending': {
        subject: 'Eine Zahlung für Rechnung {number} steht aus',
        lead: '{customer} hat {amount} für die Rechnung {number} bezahlt. Die Zahlung ist noch nicht gutgeschrieben: Führen Sie die Bestellung noch nicht aus.',
      },
      'payment-denied': {
        subject: 'Eine Zahlung für Rechnung {number} wurde abgelehnt',
        lead: 'Eine Zahlung von {customer} über {amount} für die Rechnung {number} wurde abgelehnt. Es ist kein Geld eingegangen.',
      },
      'payment-refunded': {
        subject: 'Sie haben {amount} zu Rechnung {number} erstattet',
        lead: 'Von einer Zahlung von {customer} für die Rechnung {number} wurden {amount} erstattet.',
      },
      'payment-returned': {
        subject: 'Eine verspätete Zahlung von {amount} zu Rechnung {number} geht zurück',
        lead: '{customer} hat {amount} bezahlt, als die Rechnung {number} das nicht mehr annahm. Das Geld ist auf dem Weg zurück; Sie müssen nichts tun.',
      },
    },
  },
  fr: {
    nameless: 'votre client',
    kinds: {
      invoice: {
        subject: 'Copie : facture {number} à {customer}',
        lead: 'Vous avez envoyé à {customer} la facture {number} de {amount}.',
      },
      'invoice-updated': {
        subject: 'Copie : la facture {number} a été modifiée',
        lead: 'Vous avez modifié la facture {number} adressée à {customer}. Elle s’élève maintenant à {amount}.',
      },
      reminder: {
        subject: 'Copie : rappel de la facture {number}',
        lead: 'Vous avez rappelé à {customer} qu’il reste {due} à payer sur la facture {number}.',
      },
      'invoice-cancelled': {
        subject: 'Copie : la facture {number} a été annulée',
        lead: 'Vous avez annulé la facture {number} adressée à {customer}.',
      },
      'payment-received': {
        subject: '{customer} a payé {amount} pour la facture {number}',
        lead: '{customer} a payé {amount} pour la facture {number}. Le montant est crédité sur votre solde.',
      },
      'payment-pending': {
        subject: 'Un paiement pour la facture {number} est en attente',
        lead: '{customer} a payé {amount} pour la facture {number}. Le paiement n’est pas encore crédité : n’exécutez pas encore la commande.',
      },
      'payment-denied': {
        subject: 'Un paiement pour la facture {number} a été refusé',
        lead: 'Un paiement de {amount} par {customer} pour la facture {number} a été refusé. Vous n’avez rien reçu.',
      },
      'payment-refunded': {
        subject: 'Vous avez remboursé {amount} sur la facture {number}',
        lead: 'Un remboursement de {amount} a été fait sur un paiement de {customer} pour la facture {number}.',
      },
      'payment-returned': {
        subject: 'Un paiement tardif de {amount} sur la facture {number} est remboursé',
        lead: '{customer} a payé {amount} alors que la facture {number} ne l’acceptait plus. L’argent est en cours de remboursement ; vous n’avez rien à faire.',
      },
    },
  },
  es: {
    nameless: 'su cliente',
    kinds: {
      invoice: {
        subject: 'Copia: factura {number} a {customer}',
        lead: 'Ha enviado a {customer} la factura {number} de {amount}.',
      },
      'invoice-updated': {
        subject: 'Copia: la factura {number} ha cambiado',
        lead: 'Ha modificado la factura {number} dirigida a {customer}. Ahora asciende a {amount}.',
      },
      reminder: {
        subject: 'Copia: recordatorio de la factura {number}',
        lead: 'Ha recordado a {customer} que quedan {due} por pagar de la factura {number}.',
      },
      'invoice-cancelled': {
        subject: 'Copia: la factura {number} se ha anulado',
        lead: 'Ha anulado la factura {number} dirigida a {customer}.',
      },
      'payment-received': {
        subject: '{customer} ha pagado {amount} de la factura {number}',
        lead: '{customer} ha pagado {amount} de la factura {number}. El importe está en su saldo.',
      },
      'payment-pending': {
        subject: 'Un pago de la factura {number} está pendiente',
        lead: '{customer} ha pagado {amount} de la factura {number}. El pago aún no se ha abonado: no sirva todavía el pedido.',
      },
      'payment-denied': {
        subject: 'Un pago de la factura {number} se ha rechazado',
        lead: 'Un pago de {amount} de {customer} por la factura {number} se ha rechazado. No ha llegado dinero.',
      },
      'payment-refunded': {
        subject: 'Ha reembolsado {amount} de la factura {number}',
        lead: 'Se han reembolsado {amount} de un pago de {customer} por la factura {number}.',
      },
      'payment-returned': {
        subject: 'Se devuelve un pago tardío de {amount} de la factura {number}',
        lead: '{customer} pagó {amount} cuando la factura {number} ya no lo admitía. El dinero se está devolviendo; no tiene que hacer nada.',
      },
    },
  },
  ja: {
    nameless: 'お客様',
    kinds: {
      invoice: {
        subject: '控え: {customer} 宛の請求書 {number}',
        lead: '{customer} 宛に{amount}の請求書 {number} を送信しました。',
      },
      'invoice-updated': {
        subject: '控え: 請求書 {number} を更新しました',
        lead: '{customer} 宛の請求書 {number} を更新しました。現在の金額は{amount}です。',
      },
      reminder: {
        subject: '控え: 請求書 {number} のお支払いのお願い',
        lead: '請求書 {number} の未払い額{due}について、{customer} にお支払いのお願いを送信しました。',
      },
      'invoice-cancelled': {
        subject: '控え: 請求書 {number} を取り消しました',
        lead: '{customer} 宛の請求書 {number} を取り消しました。',
      },
      'payment-received': {
        subject: '{customer} が請求書 {number} に{amount}を支払いました',
        lead: '{customer} が請求書 {number} に{amount}を支払いました。代金は残高に入金されました。',
      },
      'payment-pending': {
        subject: '請求書 {number} のお支払いは処理中です',
        lead: '{customer} が請求書 {number} に{amount}を支払いました。入金はまだ完了していません。商品やサービスの提供はお待ちください。',
      },
      'payment-denied': {
        subject: '請求書 {number} のお支払いが拒否されました',
        lead: '{customer} による請求書 {number} の{amount}のお支払いは拒否されました。入金はありません。',
      },
      'payment-refunded': {
        subject: '請求書 {number} の{amount}を返金しました',
        lead: '{customer} による請求書 {number} のお支払いのうち{amount}が返金されました。',
      },
      'payment-returned': {
        subject: '請求書 {number} への遅れたお支払い{amount}を返金します',
        lead: '{customer} が、請求書 {number} で受け付けられなくなった後に{amount}を支払いました。返金の手続き中です。ご対応は不要です。',
      },
    },
  },
}
