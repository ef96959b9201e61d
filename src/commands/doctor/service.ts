import { X509Certificate, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { DAY_MS, isoDay } from "../../day.ts";
import type { Certificates } from "../../client/certificates.ts";
import { preflight, type Preflight } from "../../client/preflight.ts";
import type { Config } from "../../config/config.ts";
import { counted } from "../../text/counted.ts";
import { messageOf } from "../../errors.ts";
import type { Finding } from "./finding.ts";

const DAYS_LOOK = 21;

/** The way to the service: certificates of ours, and a connection on which nothing is asked. */
export async function serviceFindings(config: Config, env: NodeJS.ProcessEnv, isOffline: boolean): Promise<Finding[]> {
  const { findings, pem } = certificates(config);
  if (config.baseUrl === undefined || isOffline || findings.some(({ health }) => health === "wrong")) return findings;
  const { baseUrl, connectTimeoutMs } = config;
  const found = await preflight({ baseUrl, connectTimeoutMs, env, ...pem });
  if (found.kind === "reached") return [...findings, ...reached(found)];
  return [...findings, found.kind === "failed" ? unreached(found) : notChecked(found.proxy)];
}

function reached(found: Preflight & { readonly kind: "reached" }): Finding[] {
  const via = found.proxy === undefined ? "" : ` by the proxy ${found.proxy}`;
  const ms = Math.round(found.durationMs);
  const way: Finding = { what: "service", health: "fine", found: `${found.address} answers${via} within ${ms} ms` };
  if (!found.tls) return [way];
  const { protocol, issuer, validTo } = found.tls;
  const what = "its certificate";
  const said = `${protocol}, from ${issuer}, ${validity(validTo)}`;
  if (daysLeft(validTo) >= DAYS_LOOK) return [way, { what, health: "fine", found: said }];
  return [way, { what, health: "look", found: said, hint: "ask the service when it will be renewed" }];
}

function unreached(found: Preflight & { readonly kind: "failed" }): Finding {
  const via = found.proxy === undefined ? "" : ` by the proxy ${found.proxy}`;
  return { what: "service", health: "wrong", found: `not reached${via}: ${found.message}`, hint: hintFor(found) };
}

function notChecked(proxy: string): Finding {
  const hint = "a run does go by it, and says with its first row alone whether the service answers";
  return { what: "service", health: "look", found: `not checked by the SOCKS proxy ${proxy}`, hint };
}

function hintFor({ stage, code, proxy }: Preflight & { readonly kind: "failed" }): string {
  if (code === "CERT_HAS_EXPIRED") return "tell the service that its certificate has expired; compare the clock";
  if (code === "CERT_NOT_YET_VALID") return "set the clock, or wait until the certificate is valid";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "compare the host name in the base URL with the service's";
  if (/SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/.test(code)) {
    return "if the service has an authority of its own, name its certificate with PAYDROP_CA_FILE";
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "no TLS is spoken there: compare the address and its port";
  if (/CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA|TLSV1|SSLV3/.test(code)) {
    return "the service may want a client certificate: PAYDROP_CLIENT_CERT_FILE, PAYDROP_CLIENT_KEY_FILE";
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "compare the host name, then the machine's name server";
  if (stage === "proxy") return `look at the proxy ${proxy ?? ""} in HTTPS_PROXY; NO_PROXY makes exceptions`;
  if (stage === "tls") return "compare the address and port: something other than the service may answer there";
  return "compare address and port; ask whether a firewall or VPN stands in between";
}

interface OwnCertificates {
  readonly findings: Finding[];
  readonly pem: Certificates;
}

function certificates({ caFile, clientCertFile, clientKeyFile }: Config): OwnCertificates {
  const findings: Finding[] = [];
  const pem: { -readonly [Name in keyof Certificates]: Certificates[Name] } = {};
  const look = (
    what: string,
    file: string | undefined,
    name: keyof typeof pem,
    found: (text: string) => Finding,
  ): void => {
    if (file === undefined) return;
    try {
      const text = readFileSync(file, "utf8");
      findings.push(found(text));
      pem[name] = text;
    } catch (error) {
      const hint = "check the path, who may read it, and that it is PEM text";
      findings.push({ what, health: "wrong", found: `${file} cannot be read: ${messageOf(error)}`, hint });
    }
  };
  look("PAYDROP_CA_FILE", caFile, "ca", (text) => certificate("PAYDROP_CA_FILE", new X509Certificate(text)));
  look("PAYDROP_CLIENT_CERT_FILE", clientCertFile, "clientCert", (text) =>
    certificate("PAYDROP_CLIENT_CERT_FILE", new X509Certificate(text)),
  );
  look("PAYDROP_CLIENT_KEY_FILE", clientKeyFile, "clientKey", (text) => key(text, pem.clientCert));
  return { findings, pem };
}

function certificate(what: string, { subject, validToDate, validFromDate }: X509Certificate): Finding {
  const validTo = validToDate.getTime();
  const found = `${subject.replaceAll("\n", ", ")}, ${validity(validTo)}`;
  if (validTo <= Date.now()) return { what, health: "wrong", found, hint: "get a new one" };
  if (validFromDate.getTime() > Date.now())
    return { what, health: "wrong", found: `${found}, not valid yet`, hint: "set the clock, or wait" };
  if (daysLeft(validTo) < DAYS_LOOK) return { what, health: "look", found, hint: "have it renewed in time" };
  return { what, health: "fine", found };
}

function key(text: string, certificateText: string | undefined): Finding {
  const what = "PAYDROP_CLIENT_KEY_FILE";
  const own = createPrivateKey(text);
  const fits = certificateText === undefined || new X509Certificate(certificateText).checkPrivateKey(own);
  if (fits) return { what, health: "fine", found: "belongs to the certificate" };
  return {
    what,
    health: "wrong",
    found: "is not the key of the certificate",
    hint: "name the two that belong together",
  };
}

function daysLeft(validTo: number): number {
  return Math.floor((validTo - Date.now()) / DAY_MS);
}

function validity(validTo: number): string {
  const day = isoDay(validTo);
  const days = daysLeft(validTo);
  return days < 0 ? `expired on ${day}` : `valid until ${day} (${counted(days, "day")} left)`;
}
