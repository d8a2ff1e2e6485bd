/** The part of oidc-provider that the tests use: it comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Token {
    destroy(): Promise<void>;
  }

  interface TokenModel {
    find(value: string): Promise<Token | undefined>;
  }

  export interface GrantContext {
    readonly oidc: { readonly params?: { readonly grant_type?: string } };
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: 'grant.success' | 'grant.error', listener: (context: GrantContext, error?: Error) => void): this;
    readonly AccessToken: TokenModel;
    readonly ClientCredentials: TokenModel;
    readonly Client: { find(id: string): Promise<object | undefined> };
    readonly Grant: new (
      properties: object,
    ) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<object>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    readonly DeviceCode: { findByUserCode(code: string): Promise<(object & { save(): Promise<string> }) | undefined> };
    readonly RefreshToken: new (
      properties: object,
    ) => { save(): Promise<string> };
  }
}
