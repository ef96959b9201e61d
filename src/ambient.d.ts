// ECMAScript 2026 members of JSON that TypeScript 6 does not know yet; Node has them from 22 on.
interface RawJSON {
  readonly rawJSON: string;
}
interface JSON {
  rawJSON(text: string): RawJSON;
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}

declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici";
  export default Client;
}
