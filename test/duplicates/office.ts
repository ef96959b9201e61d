import { createOpener } from "../../src/client/envelope.ts";
import { AES_IV, AES_KEY, openDesk, type Desk } from "../support/desk.ts";
import type { FaultServer, Received, Reply } from "../support/fault-server.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

export const DAY_MS = 86_400_000;
export const NOVEMBER = Date.parse("2026-11-06T09:00:00Z");

const open = createOpener({ key: Buffer.from(AES_KEY, "hex"), iv: Buffer.from(AES_IV, "hex") });

export interface Payment {
  readonly account: string;
  readonly amount: string;
}

/** What a request pays to whom. */
function paymentOf(request: Received): Payment {
  const sent = JSON.parse(request.body) as { body?: string };
  const payload = sent.body === undefined ? request.body : (open(sent.body) ?? "{}");
  const fields = JSON.parse(payload) as Record<string, string>;
  const amount = /"amount":([0-9.]+)/.exec(payload)?.[1] ?? "";
  return { account: fields["bank_acc_num"] ?? fields["to_account"] ?? "", amount };
}

export async function openOffice(answerOf: (payment: Payment) => Reply = () => wire.answer(200)): Promise<{
  desk: Desk;
  server: FaultServer;
  /** Payments that the service saw since it was last asked. */
  readonly sent: () => Payment[];
}> {
  const server = await startService((request) => answerOf(paymentOf(request)));
  const newRequests = wire.newRequestsOf(server);
  const sent = (): Payment[] => newRequests().map(paymentOf);
  return { desk: openDesk(server.url), server, sent };
}

export function messagesOf(desk: Desk, name: string): string[] {
  return [...new Set(desk.results(name).map((row) => row.result_message))];
}
