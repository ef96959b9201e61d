import * as z from "zod/mini";
import { amount, id, operation, text, whole } from "./operation.ts";

/** Request to collect money through a payment address (§2.1). The unit of expiry is not shown: it travels as written. */
export const collections = operation({
  name: "collection",
  folder: "collections",
  method: "collect",
  path: "/v1/upi/collect",
  encrypted: false,
  party: "payer",
  meant: {
    by: [
      /customer|client|payer|debtor|borrower|tenant|member|student/i,
      /invoice|bill|due|order|subscri|mandate|emi\b|collect/i,
    ],
    not: [/empl|staff|payee|benef|vendor|supplier|salary|wage|payout|refund|cash ?back|bonus|reimburs/i],
  },
  accepted: "Request created",
  forms: [
    {
      schema: z.object({
        amount: amount({ examples: ["499.00", "1200.00"], synonyms: "collect amount, bill amount, amt" }),
        currency: z._default(text({ shape: "currency", examples: ["INR", "INR"], synonyms: "curr, ccy" }), "INR"),
        vpa: id({
          sensitive: "vpa",
          shape: "vpa",
          examples: ["payer.one@bank", "payer.two@bank"],
          synonyms: "upi, upi id, upi address, payment address, virtual payment address",
        }),
        expiry: z.optional(whole({ examples: ["30", "30"], synonyms: "expires, expiry minutes" })),
      }),
      payee: "vpa",
      alsoPayment: ["currency"],
    },
  ],
});
