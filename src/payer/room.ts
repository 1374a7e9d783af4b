import { rulesOf } from '../disputes/house.ts'
import { makeLedger } from '../ledger/ledger.ts'
import { openOutbound } from '../outbound/http.ts'
import type { OpenRoom } from '../room.ts'
import { caseRoutes } from './case/case-routes.ts'
import { caseJobs } from './case/jobs.ts'
import { reportRoutes } from './case/report-routes.ts'
import { logoJobs, openLogos } from './logo/jobs.ts'
import { mailJobs } from './mail/jobs.ts'
import { sandboxMailRoutes } from './mail/sandbox-mail-routes.ts'
import { makeSendMail } from './mail/send.ts'
import { pageRoutes } from './page-routes.ts'
import { gatewayJobs } from './pay/gateway-jobs.ts'
import { gatewayRoutes } from './pay/gateway-routes.ts'
import { attemptConstraints, payRoutes } from './pay/routes.ts'
import { settleJobs } from './pay/settle.ts'
import { openPrinter } from './print/printer.ts'
import { sandboxPayerRoutes } from './sandbox-routes.ts'

/** What the customer of a merchant meets: the page of an invoice, the payment, the mails. */
export const openPayer: OpenRoom = (service) => {
  const ledger = makeLedger(service)
  const sendMail = makeSendMail(service)
  const printer = openPrinter()
  const logos = openLogos(service, printer)
  const { gatewayAllowHttp: allowHttp, gatewayAllowPrivate: allowPrivate } = service.settings
  const toGateway = openOutbound({ allowHttp, allowPrivate })
  const house = { service, ledger, rules: rulesOf(service) }
  return {
    routes: [
      ...pageRoutes(service, printer),
      ...payRoutes(service, ledger),
      ...gatewayRoutes(service, ledger),
      ...reportRoutes(service, house),
      ...caseRoutes(service, house),
      ...sandboxPayerRoutes(service, ledger),
      ...sandboxMailRoutes(service, printer),
    ],
    jobs: [
      ...settleJobs(service, ledger),
      ...logoJobs(logos.keep),
      ...mailJobs(service, { sendMail, keepLogo: logos.keep, printer }),
      ...caseJobs(service, sendMail),
      ...gatewayJobs(service, ledger, toGateway),
    ],
    constraints: attemptConstraints,
    async close() {
      await toGateway.close()
      await logos.close()
      await printer.close()
    },
  }
}
