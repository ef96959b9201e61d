import type { Operation } from "./operation.ts";

/** Request to collect money through a payment address (§2.1). The unit of expiry is not shown: it travels as written. */
export const collections: Operation = {
  name: "collection",
  folder: "collections",
  path: "/v1/upi/collect",
  encrypted: false,
  party: "payer",
  acceptedMessage: "Request created",
  forms: [
    {
      fields: [
        { name: "amount", kind: "amount", required: true },
        { name: "currency", kind: "text", required: false, default: "INR", shape: "currency" },
        { name: "vpa", kind: "id", required: true, sensitive: "vpa" },
        { name: "expiry", kind: "integer", required: false },
      ],
      coreFields: ["vpa", "amount", "currency"],
      beneficiaryFields: ["vpa"],
    },
  ],
};
